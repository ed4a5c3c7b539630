"""evalkit: an evaluation harness over cached LLM outputs.

Deterministic scorers first, an LLM judge only for what code cannot decide, every verdict checked in code before it
counts. The rooms and the one direction of imports between them are described in docs/architecture.md.
"""

__version__ = "0.1.0"
