"""An acceptance specification, read and checked: its rubrics and lexicons put in, its judge resolved, every strategy's target found.

What a specification may leave to files (rubrics, lexicons, judge) is written out in the record that comes of it, so a specification that
was exported and one that was put together from a suite are the same value with the same hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from evalkit.errors import Fault, InputError
from evalkit.loading.faults import FaultList
from evalkit.loading.files import PathError
from evalkit.loading.judge_files import judge_of, read_judge_alone, without_cascade
from evalkit.loading.places import allowed_roots, find_named, inside_suite
from evalkit.loading.rubric_files import read_rubric, rubric_faults
from evalkit.loading.yaml_files import Document, read_document, read_record, record_of
from evalkit.records.acceptance import AcceptanceCriterion, AcceptanceSpec
from evalkit.records.base import Json
from evalkit.records.identity import content_hash
from evalkit.records.judges import JudgeConfig
from evalkit.records.lexicons import Lexicon
from evalkit.records.locations import Location
from evalkit.records.rubrics import Rubric
from evalkit.text.nearest import nearest
from evalkit.text.shown import dotted, shown_text


@dataclass(frozen=True, kw_only=True)
class LoadedSpec:
    """A specification with everything that it names written out."""

    spec: AcceptanceSpec
    file: Path
    """Where it was read, or the suite.yaml that it was put together from."""
    document: Document | None = None
    """The file as read; None where the specification was put together."""
    notes: tuple[str, ...] = ()
    """What was left out while it was put together, in words."""

    @property
    def folder(self) -> Path:
        """The folder to which its paths are relative."""
        return self.file.parent

    @property
    def judge(self) -> JudgeConfig | None:
        """The judge; None where it names none."""
        return self.spec.judge if isinstance(self.spec.judge, JudgeConfig) else None

    @cached_property
    def sha256(self) -> str:
        """Hash of everything but the judge, whose configuration has hashes of its own."""
        return content_hash("acceptance-spec/1", self.spec.model_dump(mode="json", exclude={"judge"}))

    def fault(self, location: Sequence[int | str], problem: str, remedy: str = "") -> Fault:
        """Return a fault of a value of the specification."""
        if self.document is not None:
            return self.document.fault(location, problem, remedy)
        return Fault(file=str(self.file), field=f"acceptance: {dotted(location)}", problem=problem, remedy=remedy)


def load_spec(path: Path) -> LoadedSpec:
    """Return an acceptance specification. Raises InputError with every fault of the file and of what it names."""
    document = read_document(path)
    return _Reading(path, document, FaultList()).read()


@dataclass
class _Reading:
    """One specification while it is read; faults gather here."""

    file: Path
    document: Document
    faults: FaultList

    def read(self) -> LoadedSpec:
        judge = self._judge()
        spec = self._spec()
        if spec is not None:
            rubrics = self._rubrics(spec)
            lexicons = self._lexicons(spec)
            self.faults.add(*spec_faults(spec, rubrics, self.document))
            named = {name: rubric for name, rubric in rubrics.items() if rubric is not None}
            spec = spec.model_copy(update={"rubrics": named, "lexicons": lexicons, "judge": judge})
        self.faults.raise_if_any()
        if spec is None:
            raise InputError([self.document.fault((), "cannot be read")])
        return LoadedSpec(spec=spec, file=self.file, document=self.document)

    def _spec(self) -> AcceptanceSpec | None:
        """Return the record without its judge, whose values no error may repeat."""
        entries = self.document.root.entries or {}
        rest = replace(self.document.root, entries={name: entry for name, entry in entries.items() if name != "judge"})
        try:
            return record_of(AcceptanceSpec, Document(self.file, rest))
        except InputError as error:
            self.faults.absorb(error)
            return None

    def _judge(self) -> JudgeConfig | None:
        entry = (self.document.root.entries or {}).get("judge")
        if entry is None:
            return None
        node = entry[1]
        try:
            if node.entries is not None:
                document = Document(self.file, node)
                return without_cascade(judge_of(document, "judge"), document, "judge")
            return read_judge_alone(inside_suite(node.text or "", self.file.parent))
        except PathError as error:
            self.faults.add(self.document.fault(("judge",), str(error), "name a judge.yaml beside this file"))
        except InputError as error:
            self.faults.absorb(error)
        return None

    def _rubrics(self, spec: AcceptanceSpec) -> dict[str, Rubric | None]:
        """Return the rubrics that criteria use by name; None for one whose faults are known already."""
        found: dict[str, Rubric | None] = dict(spec.rubrics)
        entries = (self.document.root.entries or {}).get("rubrics")
        for own, rubric in spec.rubrics.items():
            node = (entries[1].entries or {})[own][1] if entries else self.document.root
            for fault in rubric_faults(rubric, Document(self.file, node)):
                self.faults.add(replace(fault, field=f"rubrics.{shown_text(own, quote=False)}.{fault.field}"))
        used = ((at, criterion.strategy.rubric) for at, criterion in enumerate(spec.criteria))
        for at, name in used:
            if name is None or name in found:
                continue
            found[name] = None
            try:
                path = find_named(name, "rubrics", self.file.parent)
                found[name] = read_rubric(path, allowed_roots(self.file.parent))
            except PathError as error:
                where = ("criteria", at, "strategy", "rubric")
                remedy = "define it under `rubrics`, or put the file beside this one"
                self.faults.add(self.document.fault(where, str(error), remedy))
            except InputError as error:
                self.faults.absorb(error)
        return found

    def _lexicons(self, spec: AcceptanceSpec) -> dict[str, Lexicon]:
        found = dict(spec.lexicons)
        uses: list[tuple[Location, str | None, Mapping[str, Json]]] = [
            (("criteria", at, "strategy", "lexicon"), criterion.strategy.scorer, criterion.strategy.settings)
            for at, criterion in enumerate(spec.criteria)
        ]
        uses += [(("policy", at, "lexicon"), use.scorer, use.settings) for at, use in enumerate(spec.policy)]
        for where, scorer, settings in uses:
            name = settings.get("lexicon")
            if scorer != "lexicon" or not isinstance(name, str) or name in found:
                continue
            try:
                found[name] = read_record(Lexicon, find_named(name, "lexicons", self.file.parent)).record
            except PathError as error:
                self.faults.add(self.document.fault(where, str(error), "define it under `lexicons`"))
            except InputError as error:
                self.faults.absorb(error)
        return found


def spec_faults(spec: AcceptanceSpec, rubrics: Mapping[str, Rubric | None], document: Document) -> Iterator[Fault]:
    """Yield what is wrong between the parts of a specification; `rubrics` holds None for those that could not be read."""
    seen: set[str] = set()
    for at, criterion in enumerate(spec.criteria):
        where = ("criteria", at)
        if criterion.name in seen:
            problem = f"the criterion {shown_text(criterion.name)} stands twice"
            yield document.fault((*where, "name"), problem, "names are unique")
        seen.add(criterion.name)
        rule = criterion.cases
        if rule is not None and not (rule.all or rule.tags or rule.ids):
            yield document.fault((*where, "cases"), "selects no case", "give `all: true`, `tags` or `ids`")
        yield from _definition(criterion, rubrics, document, where)
    if not sum(criterion.weight for criterion in spec.criteria):
        yield document.fault(("criteria",), "no criterion has a weight above 0", "a score needs one")


def _definition(
    criterion: AcceptanceCriterion, rubrics: Mapping[str, Rubric | None], document: Document, where: Location
) -> Iterator[Fault]:
    """Yield a fault where a criterion has no definition, or two that differ."""
    name, wanted = criterion.strategy.rubric, criterion.strategy.criterion or ""
    if name is None:
        if not (criterion.description or "").strip():
            yield document.fault(where, "has no description", "say what passes: the generator gets it as feedback")
        return
    rubric = rubrics.get(name)
    if rubric is None:
        return
    place = (*where, "strategy")
    if rubric.mode != "pointwise":
        problem = f"the rubric {shown_text(name)} is for mode {rubric.mode}; acceptance judges one candidate by itself"
        yield document.fault((*place, "rubric"), problem, "choose a pointwise rubric")
    found = next((one for one in rubric.criteria if one.id == wanted), None)
    if found is None:
        ids = [one.id for one in rubric.criteria]
        problem = f"the rubric {shown_text(name)} has no criterion {shown_text(wanted)}"
        yield document.fault((*place, "criterion"), problem, nearest(wanted, ids, "criteria"))
    elif criterion.description is not None and criterion.description != found.pass_condition:
        problem = "differs from the pass condition of the rubric's criterion, which is what the judge applies"
        yield document.fault((*where, "description"), problem, "leave it out")


def spec_text(spec: AcceptanceSpec) -> str:
    """Return a specification as YAML that `load_spec` reads back as the same value."""
    import yaml

    value = spec.model_dump(mode="json", exclude_defaults=True)
    for entry in (*value.get("policy", ()), *(criterion["strategy"] for criterion in value["criteria"])):
        entry.update(entry.pop("settings", {}))
    value["terms"] = spec.terms.model_dump(mode="json")
    ordered = {"schema_version": spec.schema_version, **value}
    return str(yaml.safe_dump(ordered, sort_keys=False, allow_unicode=True, width=110))
