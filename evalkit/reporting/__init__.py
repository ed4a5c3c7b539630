"""Finished results become text: terminal, Markdown, HTML. Nothing here computes a statistic."""
