"""Verdicts against people: agreement per criterion, corrected rates, trust, and which judge to take."""
