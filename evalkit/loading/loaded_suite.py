"""A suite with everything that it names, read and checked: what a run is configured by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from evalkit.errors import UsageError
from evalkit.loading.classifier_files import CheapFiles
from evalkit.loading.judge_files import ALONE, changed_judge
from evalkit.records.base import Json
from evalkit.records.classifiers import CannedAnswer, ClassifierConfig
from evalkit.records.identity import content_hash
from evalkit.records.judges import JudgeConfig
from evalkit.records.lexicons import Lexicon
from evalkit.records.rubrics import Rubric
from evalkit.records.suites import Suite

NO_MEASUREMENT = frozenset({"judge", "gates", "budgets", "trust", "acceptance"})
"""Fields of a suite that change what is asked, allowed or trusted, but no deterministic number: outside the suite's hash."""


@dataclass(frozen=True, kw_only=True)
class LoadedSuite:
    """A suite with everything it names, read and checked."""

    folder: Path
    """The suite's folder, as it was named."""
    file: Path
    """Path of suite.yaml, for errors."""
    suite: Suite
    rubrics: Mapping[str, Rubric]
    """Rubrics by the name under which the suite uses them."""
    judge: JudgeConfig
    """The judge: of --judge, of the suite, or the embedded floor."""
    lexicons: Mapping[str, Lexicon]
    """Lexicons by the name under which scorers use them."""
    classifiers: Mapping[str, tuple[ClassifierConfig, tuple[CannedAnswer, ...]]] = field(default_factory=dict)
    """Classifiers, with the canned answers of those that are static, by the path under which scorers use them."""
    cheap: CheapFiles | None = None
    """The classifier of the judge's `cascade`."""
    cheap_routes: Mapping[str, CheapFiles] = field(default_factory=dict)
    """Routed capabilities whose judge has a `cascade` -> its classifier."""
    routes: Mapping[str, JudgeConfig] = field(default_factory=dict)
    """Capabilities that another judge is asked about, as judge.yaml routes them."""

    def judge_for(self, capability: str) -> JudgeConfig:
        """Return the judge of a capability."""
        return self.routes.get(capability, self.judge)

    def cheap_for(self, capability: str) -> CheapFiles | None:
        """Return the classifier before the judge of a capability; None where the judge is asked alone."""
        return self.cheap_routes.get(capability) if capability in self.routes else self.cheap

    @property
    def judges(self) -> tuple[JudgeConfig, ...]:
        """Every judge that a capability of this suite uses, each once; `judge` where none uses one."""
        used = [self.judge_for(one.name) for one in self.suite.capabilities if one.judge]
        return tuple({id(judge): judge for judge in used or [self.judge]}.values())

    def one_judge(self, what: str) -> LoadedSuite:
        """Return the suite as it is. Raises UsageError where its capabilities go to several judges; `what` needs one."""
        if self.routes:
            raise UsageError(
                f"judge.yaml routes capabilities to several judges, and {what} asks one: name it with --judge FILE"
            )
        return self

    def without_cascade(self, what: str) -> LoadedSuite:
        """Return the suite as it is. Raises UsageError where a classifier is asked before a judge; `what` asks the judge."""
        if self.cheap is not None or self.cheap_routes:
            raise UsageError(f"judge.yaml has a `cascade`, and {what} asks the judge alone: {ALONE}, with --judge FILE")
        return self

    @cached_property
    def sha256(self) -> str:
        """Content hash of all that makes a measurement: the suite without judge, gates, budgets and trust; rubrics; lexicons."""
        parts: dict[str, Json] = {
            "suite": self.suite.model_dump(exclude=set(NO_MEASUREMENT)),
            "rubrics": {name: rubric.model_dump() for name, rubric in self.rubrics.items()},
            "lexicons": {name: lexicon.model_dump() for name, lexicon in self.lexicons.items()},
        }
        if self.classifiers:
            parts["classifiers"] = {
                name: [config.model_dump(), [answer.model_dump() for answer in canned]]
                for name, (config, canned) in self.classifiers.items()
            }
        return content_hash("suite", parts)

    def with_judge(self, changes: Mapping[str, Json]) -> LoadedSuite:
        """Return the suite with some of the judge's settings changed. Raises UsageError where they do not fit."""
        of_all = {name: value for name, value in changes.items() if name != "max_cost"}
        routes = {name: changed_judge(judge, of_all) for name, judge in self.routes.items()}
        return replace(self, judge=changed_judge(self.judge, changes), routes=routes)
