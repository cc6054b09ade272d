"""Tables, bars and plots."""
