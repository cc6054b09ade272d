"""Output: tables, progress bars and plots."""
