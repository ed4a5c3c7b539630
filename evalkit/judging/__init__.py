"""Asking the judge: prompts, requests, the embedded floor judge, and the two only ways to a verdict, `lookup` and `buy`."""
