"""Speed as ratios against a baseline that is measured in the same run; absolute seconds say more about the machine.

    python -m benchmarks                 all of them
    python -m benchmarks start_up big    some

Each benchmark prints its figures beside the target and exits 1 where a target is missed.
"""
