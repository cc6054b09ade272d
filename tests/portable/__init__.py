"""The package in unusual environments: `make test-portable` runs these tests."""
