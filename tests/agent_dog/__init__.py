"""Tests of Agent DOG."""
