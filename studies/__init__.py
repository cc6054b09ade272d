"""Studies whose results the docs show. Run each from the root of a clone."""
