"""Per-case results become report rows, health, policy and gating. Scored + excluded = total, in every row."""
