"""Write files atomically, and validate what is read from files."""
