"""The machine in words, and private names of other libraries."""
