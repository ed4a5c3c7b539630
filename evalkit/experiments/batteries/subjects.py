"""From cases, cached trajectories and expected decisions to questions for batteries: one subject per case and evaluation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evalkit.errors import Fault, InputError
from evalkit.loading.battery_suites import ExpectedLine, LoadedBatteries
from evalkit.records.base import Json
from evalkit.records.battery_suites import SELECTIONS, BatteryUse, ExpectedDecision
from evalkit.records.cases import Case
from evalkit.records.outputs import Output


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What one battery is asked once."""

    use: BatteryUse
    case: Case
    expected: ExpectedDecision
    text: str
    """The prompt, query, task or text; empty for a call."""
    call: Json = None
    """Of tool_guard: the call, with the tool's description where it was offered with one."""
    answer: str = ""
    """Of is_complete: the answer."""
    items: tuple[Json, ...] = ()
    """Of selections: what is offered."""
    names: tuple[str, ...] = ()
    """Of selections: the items' names, in the same order."""
    used: frozenset[str] = frozenset()
    """Of selections: names that the trajectory used."""

    @property
    def cluster(self) -> str:
        """What decisions hang together by: the case's cluster, else the case."""
        return self.case.cluster or self.case.id


def subjects_of(loaded: LoadedBatteries, uses: Sequence[BatteryUse], case: Case, output: Output) -> list[Subject]:
    """Return a case's subjects. Raises InputError where an expected decision does not fit the case's trajectory."""
    by_name = {use.battery: use for use in uses}
    found, faults = [], []
    for line in loaded.expected.get(case.id, ()):
        use = by_name.get(line.decision.battery)
        if use is None:
            continue
        subject = _subject(use, case, output, line.decision)
        faults += list(_misfits(loaded, line, subject))
        found.append(subject)
    if faults:
        raise InputError(faults)
    return found


def asked_text(case: Case) -> str:
    """Return what a case asks for: its text, the user's last message, or the object as JSON."""
    if isinstance(case.input, str):
        return case.input
    if isinstance(case.input, tuple):
        said = [message.content for message in case.input if message.role == "user"]
        return said[-1] if said else ""
    return json.dumps(case.input, ensure_ascii=False)


def _subject(use: BatteryUse, case: Case, output: Output, expected: ExpectedDecision) -> Subject:
    text = asked_text(case)
    if use.battery == "tool_guard":
        calls = output.tool_calls or ()
        at = int(expected.item or 0)
        call = _described(calls[at], output.tools_offered) if at < len(calls) else None
        return Subject(use=use, case=case, expected=expected, text="", call=call)
    if use.battery in SELECTIONS:
        items = _items(use, case, output)
        return Subject(
            use=use,
            case=case,
            expected=expected,
            text=text,
            items=items,
            names=tuple(_name(item) for item in items),
            used=frozenset(_used(use, output)),
        )
    if use.battery == "content_guard":
        text = text if expected.item == "input" else output.text or ""
    return Subject(use=use, case=case, expected=expected, text=text, answer=output.text or "")


def _items(use: BatteryUse, case: Case, output: Output) -> tuple[Json, ...]:
    if use.battery == "tool_relevance":
        return output.tools_offered
    if use.battery == "skill_relevance":
        return tuple({"name": name, "description": text} for name, text in (use.skills or {}).items())
    return tuple({"id": document.id, "text": document.text} for document in case.context)


def _used(use: BatteryUse, output: Output) -> Iterator[str]:
    if use.battery == "tool_relevance":
        yield from (_name(call) for call in output.tool_calls or ())
    elif use.battery == "skill_relevance":
        skills = output.meta.get("skills_used")
        yield from (str(name) for name in (skills if isinstance(skills, list | tuple) else ()))
    else:
        yield from output.citations or ()


def _name(item: Json) -> str:
    """Return a tool's, skill's or document's name; empty where it has none."""
    if isinstance(item, str):
        return item
    if isinstance(item, Mapping):
        inner = item.get("function")
        named = inner if isinstance(inner, Mapping) else item
        return str(named.get("name", named.get("id", "")))
    return ""


def _described(call: Json, offered: Sequence[Json]) -> Json:
    """Return a call with what its tool says about itself, where it was offered so."""
    for tool in offered:
        if isinstance(call, Mapping) and isinstance(tool, Mapping) and tool.get("name") == call.get("name"):
            return {**call, "description": tool.get("description", "")}
    return call


def _misfits(loaded: LoadedBatteries, line: ExpectedLine, subject: Subject) -> Iterator[Fault]:
    name = subject.use.battery
    if name == "tool_guard" and subject.call is None:
        yield loaded.fault(line.line, "item", f"the trajectory has no call {line.decision.item}", "`0` is the first")
    if name in SELECTIONS:
        for needed in sorted(set(line.decision.keep or ()) - set(subject.names)):
            yield loaded.fault(line.line, "keep", f"{needed!r} was not offered", "name items that the case offers")
        doubles = {item for item in subject.names if subject.names.count(item) > 1 or not item}
        for item in sorted(doubles):
            yield loaded.fault(
                line.line, "keep", f"the item {item!r} is offered twice or has no name", "name each once"
            )
    if name == "is_complete" and not subject.answer:
        yield loaded.fault(line.line, "case_id", "the trajectory has no text", "is_complete judges an answer")
    if name != "tool_guard" and not subject.text:
        yield loaded.fault(line.line, "case_id", "there is no text to judge", "give the case an input, or leave it out")
