"""One run, the stages in order; the only place that knows the order."""
