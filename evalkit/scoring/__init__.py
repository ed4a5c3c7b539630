"""Deterministic scorers, one per file, and the written-out table of them."""
