"""The speed of the environments and of training, on this machine."""
