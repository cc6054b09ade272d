"""Studies behind pages of the documents; each is run from the top of a clone."""
