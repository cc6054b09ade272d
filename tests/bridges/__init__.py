"""The bridges to other libraries; `make test-bridges` runs these tests where the libraries are installed."""
