"""Games on a GPU: `ptx` compiles the kernels of a game into one that steps one game a thread, and `records` lays out
their states for it. No command starts these kernels yet."""
