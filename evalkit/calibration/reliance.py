"""What a judge's row of a run may be relied on for, by the suite's ledger: the bounds of its corrected rate, or why nothing.

Trust is for one configuration, one criterion and the snapshots that answered, and independence is each run's own: what was earned on
a candidate of another family holds for one of the judge's family only where the favour for its own was measured. Where it does not reach, the reason says what changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from evalkit.calibration.corrected import other_run, refused, same_run
from evalkit.calibration.run_sources import population_of
from evalkit.calibration.trust import classifier_failures
from evalkit.records.answered import answered_by, is_mixed
from evalkit.records.base import Json
from evalkit.records.calibrations import Corrected
from evalkit.records.gates import Reliance
from evalkit.records.manifests import JudgeUseManifest
from evalkit.records.reports import JudgeHeader, Report, Row
from evalkit.records.trust import Bars, Ledger, TrustRow
from evalkit.stats.strata import Strata

UNCALIBRATED = (
    "provisional: not calibrated against human labels under this configuration; evalkit calibrate RUN --labels FILE"
)
NO_LEDGER = "not calibrated against human labels: the suite has no trust.json"
NOT_THIS = "not calibrated against human labels under this configuration"
OWN_FAMILY = "independence of this run"
"""How an objection begins that the judge may favour its own."""
CONJUNCTION = "trust is for the criterion that was calibrated: a conjunction of criteria needs labels of its own"
Relied = Callable[[Row], Reliance]


def reliance_on(ledger: Ledger | None, report: Report, judges: tuple[JudgeUseManifest, ...], bars: Bars) -> Relied:
    """Return, for the judge rows of a report, what they may be relied on for; `judges` are those of the run's manifest.

    `bars` are the suite's own now: a row that was decided on lower ones does not count.
    """
    identities = {judge.judge_config_hash: judge.identity for judge in judges}
    headers = {(judge.capability, judge.rubric): judge for judge in report.judges}

    def relied(row: Row) -> Reliance:
        header = headers.get((row.capability, row.scorer))
        found = row_for(ledger, row)
        if ledger is None or header is None or found is None:
            return Reliance(reason=_why_none(ledger, row, identities))
        own = _own_family(found, report.independence, bars)
        failed = _without_classifier(report, header, bars)
        reason = "; ".join((*_objections(ledger, found, answered_by(header), bars), *own, *failed))
        if reason:
            return Reliance(reason=reason)
        rate = corrected_rate(found, report, row)
        if rate.lower is None or rate.upper is None or rate.reading:
            return Reliance(reason=f"trusted, but its rate cannot be corrected: {rate.reading}")
        return Reliance(bounds=(rate.lower, rate.upper))

    return relied


def doubts_of(ledger: Ledger | None, bars: Bars) -> Callable[[str, str, frozenset[str], Mapping[str, Json]], str]:
    """Return why a criterion is not trusted under a judge_config_hash, answered by these snapshots (as `answered_by` names them); empty where it is.

    The fourth argument says how independent the judge is of what is judged (`independence_between`). For single verdicts, not rates.
    """

    def doubts(config_hash: str, criterion: str, snapshots: frozenset[str], independence: Mapping[str, Json]) -> str:
        if ledger is None:
            return NO_LEDGER
        rows = [row for row in ledger.rows if (row.judge_config_hash, row.criterion) == (config_hash, criterion)]
        found = (
            reason
            for row in rows
            for reason in (*_objections(ledger, row, snapshots, bars), *_own_family(row, independence, bars))
        )
        return "; ".join(dict.fromkeys(found)) if rows else NOT_THIS

    return doubts


def row_for(ledger: Ledger | None, row: Row) -> TrustRow | None:
    """Return the ledger's row about a judge's row under its very configuration."""
    key = row.capability, row.scorer, row.criterion, row.judge_config_hash
    return next((one for one in ledger.rows if one.key == key), None) if ledger else None


def corrected_rate(trusted: TrustRow, report: Report, row: Row) -> Corrected:
    """Return a row's pass rate, corrected by the labels behind the ledger's row: of this run where they are, else carried over."""
    labels, population = trusted.labels, population_of(row)
    same = (trusted.outputs_sha256, trusted.golden_sha256) == (report.outputs.get("sha256"), report.golden_sha256)
    if same and report.completeness == "complete":
        strata = Strata(
            n=population.n,
            judge_pass=population.passed,
            labelled_pass=labels.judge_pass_human_pass + labels.judge_pass_human_fail,
            human_pass_of_pass=labels.judge_pass_human_pass,
            labelled_fail=labels.judge_fail_human_pass + labels.judge_fail_human_fail,
            human_pass_of_fail=labels.judge_fail_human_pass,
        )
        if strata.labelled_pass <= strata.judge_pass and strata.labelled_fail <= strata.n - strata.judge_pass:
            return same_run(strata)
    if trusted.weighting != "none":
        return refused(
            population, "its labels were drawn by the verdicts of another run: label a random sample, or this run"
        )
    tpr, tnr = trusted.tpr, trusted.tnr
    return other_run(population, (tpr.correct, tpr.n), (tnr.correct, tnr.n))


def _objections(ledger: Ledger, found: TrustRow, snapshots: Iterable[str], bars: Bars) -> Iterator[str]:
    if found.state != "TRUSTED":
        yield f"{found.state}: {found.reading}"
    judge = ledger.judges.get(found.judge_config_hash)
    known = answered_by(judge) if judge else ()
    strange = sorted(set(snapshots) - set(known))
    if judge is not None and is_mixed(judge):
        yield f"provisional: trust was earned on several snapshots ({', '.join(known)}), which are not one instrument: calibrate a run that one answered"
    elif strange:
        yield f"provisional: another snapshot answered ({', '.join(strange)}) than the one that was calibrated ({', '.join(known)})"
    raised = raised_since(found, bars)
    if raised:
        yield f"the suite asks for more than when it was calibrated ({', '.join(raised)}): calibrate again"


def raised_since(found: TrustRow, bars: Bars) -> list[str]:
    """Return the names of the bars that are stricter now than when a row was decided."""
    raised = [name for name in ("tpr", "tnr") if getattr(bars, name) > getattr(found.bars, name)]
    raised += [name for name in ("tolerance", "judge_error") if getattr(bars, name) < getattr(found.bars, name)]
    if (bars.self_agreement or 0.0) > (found.bars.self_agreement or 0.0):
        raised.append("self_agreement")
    if found.tnr_from == "planted" and not bars.planted_fails:
        raised.append("planted_fails")
    return raised


def _without_classifier(report: Report, header: JudgeHeader, bars: Bars) -> Iterator[str]:
    """Yield why a run was not decided by the cascade that earned trust: its classifier failed more often than verdicts may be missing."""
    failures = classifier_failures(report, header)
    if failures is not None and failures.failed > bars.judge_error * failures.cases:
        yield f"{failures.words}: run again, what failed is asked again"


def _own_family(found: TrustRow, said: Mapping[str, Json], bars: Bars) -> Iterator[str]:
    """Yield why a run's judge is not independent of this run's candidate, unless the row knows how far it favours its own family."""
    if found.state != "TRUSTED" or said.get("family_differs") == "true":
        return
    measured = next((one.observed for one in found.conditions if one.name == "independence"), None)
    if measured is None:
        figure = "and trust was earned on a candidate of another family"
    elif measured > bars.tolerance:
        figure = (
            f"and the judge favours its own by up to {100 * measured:.1f} points, tolerance {100 * bars.tolerance:g}"
        )
    else:
        return
    yield (
        f"{OWN_FAMILY}: {said.get('reason') or 'the families are unknown'}, {figure}; the difference in differences "
        "decides: evalkit bias family SUITE --second-judge FILE, then evalkit calibrate again"
    )


def _why_none(ledger: Ledger | None, row: Row, identities: Mapping[str, Mapping[str, Json]]) -> str:
    """Return why the ledger says nothing about a row: another configuration, another criterion, or nothing at all."""
    rows = ledger.rows if ledger else ()
    same = [
        one
        for one in rows
        if (one.capability, one.rubric, one.criterion) == (row.capability, row.scorer, row.criterion)
    ]
    if ledger is not None and same:
        trusted = [one for one in same if one.state == "TRUSTED"]
        last = max(trusted or same, key=lambda one: one.calibrated_at)
        known = ledger.judges.get(last.judge_config_hash)
        changes = differing(known.identity if known else {}, identities.get(row.judge_config_hash or "", {}))
        lost = "trust was lost" if trusted else "what was calibrated was another configuration"
        return f"{lost}: {'; '.join(changes) or 'the judge configuration changed'}; calibrate again"
    of_rubric = [one for one in rows if (one.capability, one.rubric) == (row.capability, row.scorer)]
    return CONJUNCTION if of_rubric and row.criterion == "overall" else UNCALIBRATED


def differing(before: Mapping[str, Json], now: Mapping[str, Json], within: str = "") -> list[str]:
    """Return what differs between two judge configurations, field by field, long hashes shortened.

    `cascade.low 0.3 -> 0.2`; a part that only one of them has is `cascade added` or `cascade removed`.
    """
    found: list[str] = []
    for name in dict.fromkeys((*before, *now)):
        was, is_now = before.get(name), now.get(name)
        if isinstance(was, Mapping) and isinstance(is_now, Mapping):
            found += differing(was, is_now, f"{within}{name}.")
        elif isinstance(was, Mapping) or isinstance(is_now, Mapping):
            found.append(f"{within}{name} {'added' if was is None else 'removed' if is_now is None else 'changed'}")
        elif was != is_now:
            found.append(f"{within}{name} {_shown(was)} -> {_shown(is_now)}")
    return found


def _shown(value: Json) -> str:
    text = str(value)
    return text[:12] if len(text) == 64 and text.isalnum() else text[:80]
