"""Two small poker games with known solutions, and exact measures for them."""
