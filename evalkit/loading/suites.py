"""A suite with everything that it names, read and checked: suite.yaml, rubrics, constitutions, lexicons, judge.yaml.

The faults of all these files are raised together. Which rubrics and lexicons are named is read from the file itself, so they are
checked even where suite.yaml has faults of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from evalkit.errors import InputError, UsageError
from evalkit.loading.classifier_files import read_canned, read_cheap_tier, read_classifier
from evalkit.loading.faults import FaultList
from evalkit.loading.files import PathError, input_error, resolve_inside
from evalkit.loading.judge_files import ALONE, changed_judge, read_judge, read_judge_alone
from evalkit.loading.judge_routes import read_routes
from evalkit.loading.places import Kind, allowed_roots, find_named, inside_suite
from evalkit.loading.rubric_files import read_rubric
from evalkit.loading.suite_checks import suite_faults
from evalkit.loading.yaml_files import Document, read_document, read_record, record_of
from evalkit.records.base import Json
from evalkit.records.classifiers import CannedAnswer, ClassifierConfig
from evalkit.records.identity import content_hash
from evalkit.records.judges import JudgeConfig
from evalkit.records.lexicons import Lexicon
from evalkit.records.locations import Location
from evalkit.records.rubrics import Rubric
from evalkit.records.suites import Suite

SUITE_FILE = "suite.yaml"
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
    cheap: tuple[ClassifierConfig, tuple[CannedAnswer, ...]] | None = None
    """The classifier of the judge's `cascade`, with its canned answers where it is static."""
    routes: Mapping[str, JudgeConfig] = field(default_factory=dict)
    """Capabilities that another judge is asked about, as judge.yaml routes them."""

    def judge_for(self, capability: str) -> JudgeConfig:
        """Return the judge of a capability."""
        return self.routes.get(capability, self.judge)

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
        return self.without_cascade(what)

    def without_cascade(self, what: str) -> LoadedSuite:
        """Return the suite as it is. Raises UsageError where a classifier is asked before the judge; `what` asks the judge."""
        if self.cheap is not None:
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


def load_suite(path: Path, judge_file: Path | None = None) -> LoadedSuite:
    """Return a suite, given its folder or its suite.yaml; `judge_file` takes the place of the suite's own judge.

    Raises InputError with the faults of every file at once.
    """
    file = path / SUITE_FILE if path.is_dir() else path
    if not file.exists():
        raise input_error(
            file, "does not exist", f"a suite is a folder with a {SUITE_FILE}; `evalkit init DIR` writes one"
        )
    return _Reading(file, read_document(file)).read(judge_file)


def load_judge(path: Path) -> JudgeConfig:
    """Return a judge.yaml that stands anywhere, without a cascade. Raises InputError with all its faults."""
    return read_judge_alone(path)


def load_rubric(name: str, folder: Path) -> Rubric:
    """Return a rubric by its name: the suite folder's own first, then what the package ships.

    Raises InputError with all its faults, or where there is none of that name.
    """
    try:
        path = find_named(name, "rubrics", folder)
    except PathError as error:
        raise input_error(folder / SUITE_FILE, str(error), "name a rubric of the suite or a shipped one") from None
    return read_rubric(path, allowed_roots(folder))


@dataclass
class _Reading:
    """One suite while it is read; faults gather here."""

    file: Path
    document: Document
    faults: FaultList = field(default_factory=FaultList)

    def read(self, judge_file: Path | None) -> LoadedSuite:
        suite = self._suite()
        raw = self._raw()
        rubrics = {name: rubric for name, location in rubric_uses(raw) if (rubric := self._rubric(name, location))}
        lexicons = {name: lexicon for name, location in lexicon_uses(raw) if (lexicon := self._lexicon(name, location))}
        classifiers = {
            name: found for name, location in classifier_uses(raw) if (found := self._classifier(name, location))
        }
        judge = self._judge(raw, judge_file)
        if suite is not None:
            self._golden(suite)
            self.faults.add(*suite_faults(suite, rubrics, self.document))
        routes = self._routes(suite, judge, self._judge_file(raw, judge_file))
        cheap = self._cheap(judge, self._judge_file(raw, judge_file))
        self.faults.raise_if_any()
        if suite is None or judge is None:
            raise input_error(self.file, "cannot be read")
        folder = self.file.parent
        return LoadedSuite(
            folder=folder,
            file=self.file,
            suite=suite,
            rubrics=rubrics,
            judge=judge,
            lexicons=lexicons,
            classifiers=classifiers,
            cheap=cheap,
            routes=routes,
        )

    def _suite(self) -> Suite | None:
        try:
            return record_of(Suite, self.document)
        except InputError as error:
            self.faults.absorb(error)
            return None

    def _raw(self) -> Json:
        """Return the file's value, or nothing where it holds numbers that cannot be read, which are faults by now."""
        try:
            return self.document.value
        except InputError:
            return {}

    def _find(self, name: str, kind: Kind, location: Location) -> Path | None:
        try:
            return find_named(name, kind, self.file.parent)
        except PathError as error:
            self.faults.add(self.document.fault(location, str(error), f"put it into the suite's {kind}/"))
            return None

    def _rubric(self, name: str, location: Location) -> Rubric | None:
        path = self._find(name, "rubrics", location)
        try:
            return read_rubric(path, allowed_roots(self.file.parent)) if path else None
        except InputError as error:
            self.faults.absorb(error)
            return None

    def _lexicon(self, name: str, location: Location) -> Lexicon | None:
        path = self._find(name, "lexicons", location)
        try:
            return read_record(Lexicon, path).record if path else None
        except InputError as error:
            self.faults.absorb(error)
            return None

    def _classifier(self, name: str, location: Location) -> tuple[ClassifierConfig, tuple[CannedAnswer, ...]] | None:
        try:
            path = inside_suite(name, self.file.parent)
            config = read_classifier(path)
            if config.answers is not None:
                resolve_inside(path.parent / config.answers, [self.file.parent])
            return config, read_canned(config, path.parent)
        except PathError as error:
            self.faults.add(
                self.document.fault(location, str(error), "a classifier and its answers stand in the suite's folder")
            )
        except InputError as error:
            self.faults.absorb(error)
        return None

    def _judge(self, raw: Json, judge_file: Path | None) -> JudgeConfig | None:
        named = raw.get("judge")
        try:
            if judge_file is not None:
                return read_judge(judge_file)
            return read_judge(inside_suite(named, self.file.parent)) if isinstance(named, str) else JudgeConfig()
        except PathError as error:
            self.faults.add(
                self.document.fault(("judge",), str(error), "the floor judge is used where `judge` is left out")
            )
        except InputError as error:
            self.faults.absorb(error)
        return None

    def _judge_file(self, raw: Json, judge_file: Path | None) -> Path:
        named = raw.get("judge")
        return judge_file or self.file.parent / (named if isinstance(named, str) else "")

    def _routes(self, suite: Suite | None, judge: JudgeConfig | None, file: Path) -> dict[str, JudgeConfig]:
        """Return the judges that judge.yaml routes capabilities to; faults where one cannot be used."""
        if suite is None or judge is None or not judge.routes:
            return {}
        found, faults = read_routes(judge.routes, file, [one.name for one in suite.capabilities if one.judge])
        self.faults.add(*faults)
        return found

    def _cheap(self, judge: JudgeConfig | None, file: Path) -> tuple[ClassifierConfig, tuple[CannedAnswer, ...]] | None:
        """Return the classifier that the judge's cascade names; faults where it cannot be used."""
        if judge is None or judge.cascade is None:
            return None
        try:
            return read_cheap_tier(judge.cascade, file)
        except InputError as error:
            self.faults.absorb(error)
            return None

    def _golden(self, suite: Suite) -> None:
        try:
            inside_suite(suite.golden, self.file.parent)
        except PathError as error:
            self.faults.add(self.document.fault(("golden",), str(error), "the golden set stands in the suite's folder"))


def rubric_uses(raw: Json) -> Iterator[tuple[str, Location]]:
    """Yield each rubric that a suite names, once, with where it is named first; `raw` may be malformed anywhere."""
    seen: set[str] = set()
    for index, capability in _mappings(raw, "capabilities"):
        for at, use in _mappings(capability, "judge"):
            name = use.get("rubric")
            if isinstance(name, str) and name and name not in seen:
                seen.add(name)
                yield name, ("capabilities", index, "judge", at, "rubric")


def lexicon_uses(raw: Json) -> Iterator[tuple[str, Location]]:
    """Yield each lexicon that a scorer of a suite names, once, with where it is named first; `raw` may be malformed anywhere."""
    return _scorer_files(raw, "lexicon")


def classifier_uses(raw: Json) -> Iterator[tuple[str, Location]]:
    """Yield each classifier that a scorer of a suite names, as `lexicon_uses` does."""
    return _scorer_files(raw, "classifier")


def _scorer_files(raw: Json, scorer: str) -> Iterator[tuple[str, Location]]:
    """Yield what the uses of a scorer name under the scorer's own name."""
    entries: list[tuple[Location, Mapping[str, Any]]]
    entries = [(("policy", at), use) for at, use in _mappings(raw, "policy")]
    for index, capability in _mappings(raw, "capabilities"):
        entries += [(("capabilities", index, "scorers", at), use) for at, use in _mappings(capability, "scorers")]
    seen: set[str] = set()
    for location, use in entries:
        name = use.get(scorer)
        if use.get("scorer") == scorer and isinstance(name, str) and name and name not in seen:
            seen.add(name)
            yield name, (*location, scorer)


def _mappings(holder: Mapping[str, Any], name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the mappings in a list of a mapping, with their indices; nothing where there is no such list."""
    entries = holder.get(name)
    if isinstance(entries, list):
        for index, entry in enumerate(entries):
            if isinstance(entry, dict):
                yield index, entry
