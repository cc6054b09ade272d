"""Tests. A package, so that its modules import each other however they are run."""
