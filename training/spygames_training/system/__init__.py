"""The machine's description, and private names of other libraries."""
