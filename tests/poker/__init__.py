"""Small games that can be solved: two of poker and an Agent Avenue, and exact measures for them."""
