"""Fakes that tests and benchmarks share."""
