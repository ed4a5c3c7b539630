"""Confidence intervals for rates and means (design: no numeric dependency at run time)."""

from __future__ import annotations

from math import sqrt

Z95 = 1.959963984540054


def wilson(passed: int, n: int, z: float = Z95) -> tuple[float, float]:
    """Return the Wilson score interval of passed/n as fractions; n >= 1. Wilson 1927; Brown, Cai & DasGupta 2001."""
    p = passed / n
    denominator = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / denominator
    half = z / denominator * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)
