"""Many tests at once: Holm's step-down for what decides, Benjamini-Hochberg for what is worth a look."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p values, in the order given: the chance of any false alarm in the family is held.

    p of rank k (from the smallest, m in all) times m - k + 1, made monotone, at most 1. Valid under any dependence. Range: each p
    in [0, 1]; an empty family gives an empty list. Holm 1979. Raises ValueError outside the range.
    """
    order = _ordered(p_values)
    adjusted = [0.0] * len(order)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, p_values[index] * (len(order) - rank)))
        adjusted[index] = largest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return Benjamini-Hochberg q values, in the order given: the expected share of false alarms among what is called is held.

    p of rank k times m/k, made monotone from the largest, at most 1. Valid for independent and positively dependent tests, which
    criteria of the same cases are. Range as `holm`. Benjamini & Hochberg 1995. Raises ValueError outside the range.
    """
    order = _ordered(p_values)
    adjusted = [0.0] * len(order)
    smallest = 1.0
    for rank in range(len(order), 0, -1):
        index = order[rank - 1]
        smallest = min(smallest, p_values[index] * len(order) / rank)
        adjusted[index] = smallest
    return adjusted


def benjamini_yekutieli(p_values: Sequence[float]) -> list[float]:
    """Return q values that hold under any dependence: Benjamini and Hochberg's times 1 + 1/2 + ... + 1/m, at most 1.

    Range as `holm`. Benjamini & Yekutieli 2001. Raises ValueError outside the range.
    """
    harmonic = sum(1 / rank for rank in range(1, len(p_values) + 1))
    return [min(1.0, q * harmonic) for q in benjamini_hochberg(p_values)]


def _ordered(p_values: Sequence[float]) -> list[int]:
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError(f"p values lie in [0, 1], got {list(p_values)}")
    return sorted(range(len(p_values)), key=p_values.__getitem__)
