"""Tests. A package, so that its modules can import each other (`from .games import ...`) however they are run."""
