"""Frozen records that cross a stage or reach disk, and the identity of content."""
