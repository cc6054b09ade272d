"""Several processes: distributed training of one network, and pools that play games."""
