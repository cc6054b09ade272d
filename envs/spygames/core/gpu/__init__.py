"""Games on a GPU. `ptx` compiles a game's kernels to a CUDA kernel that steps one game per thread, and `records` lays
out states for it. No command runs these kernels yet."""
