"""Two runs over the same cases: which rows may be compared, what changed case by case, and what that can carry."""
