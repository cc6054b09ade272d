"""Two small poker games with known answers, and exact measures on them."""
