"""Pure functions on numbers, standard library only: intervals, tests, association."""
