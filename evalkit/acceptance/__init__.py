"""Who may say that a result is done: generator, judge and state machine, each with one job.

    from evalkit.acceptance import accept
    result = await accept(request, generate, "judge.yaml", "acceptance.yaml")
    result.state, result.reason, result.output

docs/acceptance.md; `evalkit accept` runs the same over a suite.
"""

from evalkit.acceptance.chain import Untrusted
from evalkit.acceptance.earned import suite_trust
from evalkit.acceptance.library import Accepted, accept

__all__ = ["Accepted", "Untrusted", "accept", "suite_trust"]
