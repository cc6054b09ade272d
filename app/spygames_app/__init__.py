"""What a person operates: the command `spygames` (`cli`). Libraries do not import this package."""
