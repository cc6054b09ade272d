"""Writing files whole, and checking what is read from them."""
