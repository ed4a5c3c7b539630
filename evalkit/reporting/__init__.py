"""Finished results become text: terminal, markdown. Nothing here computes a statistic."""
