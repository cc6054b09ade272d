"""The version of the installed package."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("spygames")
except PackageNotFoundError:  # a source tree that is not installed
    VERSION = "unknown"
