"""Networks: trunk and heads, networks of your own, and where they compute."""
