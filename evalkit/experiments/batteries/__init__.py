"""Batteries measured over cached trajectories with expected decisions. See docs/batteries.md."""
