"""The fonts of the pictures: two subsets of DejaVu Sans Condensed, renamed; see LICENSE."""
