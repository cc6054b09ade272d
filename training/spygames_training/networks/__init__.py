"""Networks: trunks and heads, custom networks, devices and sampling."""
