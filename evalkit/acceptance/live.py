"""Candidates that are made now. Every attempt is on the disk before anybody judges it; a run that was killed begins with those."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.acceptance.chain import Chain
from evalkit.acceptance.command import CommandGenerator
from evalkit.acceptance.generator import Generator, GeneratorConfig, Turn
from evalkit.loading.outputs import OutputsFolder
from evalkit.records.acceptance_terms import AcceptanceTerms
from evalkit.records.base import Json
from evalkit.records.identity import content_hash
from evalkit.records.outputs import Output
from evalkit.records.progress import Progress
from evalkit.runstore.acceptance import AttemptJournal


def live_run_id(identity: dict[str, Json]) -> str:
    """Return the id of a live run that was given none: of its inputs, so that the same command goes on where it stopped."""
    return f"live-{content_hash('acceptance-live/1', identity)[:12]}"


class Live:
    """A generator and the journal of its attempts."""

    def __init__(
        self, config: GeneratorConfig, journal: AttemptJournal, terms: AcceptanceTerms, progress: Progress
    ) -> None:
        """Read the attempts that were made before. Raises InputError where the journal was damaged."""
        self._limits = terms.limits
        self._progress = progress
        self._generator = _generator(config, terms.limits.transport_retries)
        self._journal = journal
        self._stored = OutputsFolder(journal.path)

    def serve(self, chains: Sequence[Chain]) -> None:
        """Give each chain its next attempt: a stored one, or one that is made now."""
        turns: dict[str, tuple[Chain, Turn]] = {}
        for chain in chains:
            read = sum(line.attempt is not None for line in chain.lines)
            stored = self._stored.attempts(chain.case.id)
            if read < len(stored):
                chain.take(stored[read])
            else:
                turns[chain.case.id] = (chain, self._turn(chain, read + 1))
        if not turns:
            return
        made: dict[str, Output] = {}
        self._progress.stage("generating", len(turns))

        def done(turn: Turn, output: Output) -> None:
            self._journal.add(output)
            made[turn.case.id] = output
            self._progress.step(len(made))

        self._generator.generate([turn for _, turn in turns.values()], done)
        for case_id, output in made.items():
            turns[case_id][0].take(output)

    def unread(self, chain: Chain) -> int:
        """Return how many stored attempts come after the ending; only where terms were changed by hand."""
        return max(0, len(self._stored.attempts(chain.case.id)) - len(chain.lines))

    def _turn(self, chain: Chain, attempt: int) -> Turn:
        return Turn(
            case=chain.case,
            attempt=attempt,
            feedback=chain.feedback,
            previous=chain.last,
            resends=max(0, self._limits.transport_retries - chain.situation.counts.transport_retries),
        )


def _generator(config: GeneratorConfig, transport_retries: int) -> Generator:
    if config.model is None:
        return CommandGenerator(config)
    from evalkit.acceptance.model import ModelGenerator

    return ModelGenerator(config, config.model, transport_retries)
