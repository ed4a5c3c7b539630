"""A suite with everything that it names, read and checked: suite.yaml, rubrics, constitutions, lexicons, judge.yaml.

The faults of all these files are raised together. Which rubrics and lexicons are named is read from the file itself, so they are
checked even where suite.yaml has faults of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from evalkit.errors import InputError
from evalkit.loading.classifier_files import CheapFiles, read_canned, read_cheap_tier, read_classifier
from evalkit.loading.faults import FaultList
from evalkit.loading.files import PathError, input_error, resolve_inside
from evalkit.loading.judge_files import read_judge, read_judge_alone
from evalkit.loading.judge_routes import Route, read_routes
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.places import Kind, allowed_roots, find_named, inside_suite
from evalkit.loading.rubric_files import read_rubric
from evalkit.loading.suite_checks import suite_faults
from evalkit.loading.suite_uses import classifier_uses, lexicon_uses, rubric_uses
from evalkit.loading.yaml_files import Document, read_document, read_record, record_of
from evalkit.records.base import Json
from evalkit.records.classifiers import CannedAnswer, ClassifierConfig
from evalkit.records.judges import JudgeConfig
from evalkit.records.lexicons import Lexicon
from evalkit.records.locations import Location
from evalkit.records.rubrics import Rubric
from evalkit.records.suites import Suite

SUITE_FILE = "suite.yaml"


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


def load_tiers(path: Path) -> tuple[JudgeConfig, CheapFiles | None]:
    """Return a judge.yaml that stands anywhere, and its cascade's classifier. Raises InputError with all faults of the files."""
    judge = read_judge(path)
    return judge, read_cheap_tier(judge.cascade, path) if judge.cascade else None


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
            routes={name: route.judge for name, route in routes.items()},
            cheap_routes={name: route.cheap for name, route in routes.items() if route.cheap is not None},
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

    def _routes(self, suite: Suite | None, judge: JudgeConfig | None, file: Path) -> dict[str, Route]:
        """Return the judges that judge.yaml routes capabilities to; faults where one cannot be used."""
        if suite is None or judge is None or not judge.routes:
            return {}
        found, faults = read_routes(judge.routes, file, [one.name for one in suite.capabilities if one.judge])
        self.faults.add(*faults)
        return found

    def _cheap(self, judge: JudgeConfig | None, file: Path) -> CheapFiles | None:
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
