"""Parts of a report as sentences, for terminal and markdown alike. Plain text; everything untrusted is made harmless."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evalkit.aggregation.readings import doubt_of
from evalkit.records.answered import answered_by
from evalkit.records.base import Json
from evalkit.records.classified import ClassifierUse
from evalkit.records.manifests import Manifest, Purchases
from evalkit.records.reports import Association, Health, JudgeHeader, PolicyBreach, Report, Row, SampleSpread
from evalkit.reporting import figures
from evalkit.reporting.escape import one_line

SOME_PROVISIONAL = "rows marked provisional are cases worth reading, but no gate may read them"
PROVISIONAL = "provisional: not calibrated against human labels; cases worth reading, but no gate may read it"
FLOOR = "the floor judge is rules, not a model: a floor for a real judge to beat, no judgement of quality"
INSUFFICIENT = "small n: too few cases to read the value as a rate or a mean; such a row supports no decision"

TO_MEND = frozenset({"failed", "judge_error", "scorer_error"})
"""Kinds of lines of failures.jsonl that are listed as failures; findings are not."""

_CASES_SHOWN = 5


BY_CODE = frozenset({"code", "classifier"})
"""Modes of lines of failures.jsonl that come from a scorer and not from a judge."""


def by(kind: str) -> str:
    """Return who made the rows of a kind."""
    return kind if kind in {"judge", "classifier"} else "code"


def selection(report: Report) -> str:
    """Return what narrowed the run, in brackets; empty for a whole one."""
    if not report.selection:
        return ""
    chosen = ", ".join(f"{name} {value}" for name, value in report.selection.items())
    return f" ({one_line(chosen)})"


def counts(report: Report) -> Iterator[str]:
    """Yield how cases and outputs joined: one line for what is always said, one for what went missing."""
    joined = report.counts
    yield f"{figures.cases(joined.cases)} of {joined.golden:,} in the golden set"
    states = {
        "missing": joined.missing_outputs,
        "null text": joined.null_texts,
        "error": joined.output_errors,
        "empty (scored, fails)": joined.empty_texts,
        "earlier attempt (not scored)": joined.earlier_attempts,
    }
    found = figures.counts(states)
    if found:
        yield f"outputs: {found}"
    if joined.extra_outputs:
        ids = ", ".join(one_line(name, 60) for name in joined.extra_ids[:_CASES_SHOWN])
        more = ", ..." if joined.extra_outputs > min(_CASES_SHOWN, len(joined.extra_ids)) else ""
        yield f"outputs without a case in the golden set: {joined.extra_outputs} ({ids}{more})"


def breach(policy: PolicyBreach) -> str:
    """Return a policy condition with the cases that broke it, and in how many nobody could tell."""
    parts = []
    if policy.breaches:
        ids = ", ".join(one_line(name, 60) for name in policy.cases[:_CASES_SHOWN])
        more = ", ..." if policy.breaches > min(_CASES_SHOWN, len(policy.cases)) else ""
        parts.append(f"in {figures.cases(policy.breaches)} ({ids}{more})")
    if policy.unknown:
        parts.append(f"could not be decided in {figures.cases(policy.unknown)}")
    return f"{one_line(policy.condition)} {', '.join(parts) or 'kept in all cases'}"


def remarks(row: Row) -> Iterator[str]:
    """Yield what must be known beside a row's value: trust, small n, exclusions by reason, worst case, no interval."""
    if row.trust == "provisional":
        yield "provisional"
    if row.n and row.insufficient and not (row.spread and row.spread.samples == 1):
        yield "small n"
    if row.spread is not None:
        yield spread(row.spread)
    if row.excluded:
        yield f"excluded: {figures.counts(row.excluded)}"
    if row.n and row.bounds is not None and row.bounds[0] != row.bounds[1]:
        yield f"worst case {figures.interval(row, row.bounds)}"
    if row.note and row.n and row.interval is None:
        yield row.note


def spread(found: SampleSpread) -> str:
    """Return what reading the same answers again says about a count."""
    if found.samples == 1:
        return "insufficient: one sample is noise"
    means = ", ".join(f"{mean:.2f}" for mean in found.per_sample)
    if found.item_variance is None or found.rerun_variance is None:
        return f"readings {means}"
    return f"readings {means}; variance {found.item_variance:.2f} between answers, {found.rerun_variance:.2f} between readings"


def failure(line: Mapping[str, Json], limit: int) -> str:
    """Return a line of failures.jsonl on one line: case, criterion, and why."""
    kind = "" if line.get("kind") == "failed" else f"{line.get('kind')} "
    return f"{one_line(str(line.get('case_id')), 60)}  {kind}{one_line(place(line), 80)}: {one_line(why(line), limit)}"


def place(line: Mapping[str, Json]) -> str:
    """Return capability, scorer and criterion of a line, each name once."""
    names = [str(line[name]) for name in ("capability", "scorer", "criterion") if line.get(name)]
    return "/".join(dict.fromkeys(names))


def why(line: Mapping[str, Json]) -> str:
    """Return the reason of a failure: the claim or fact that decided it, where the judge named one, else the reason given."""
    reason = str(line.get("reason") or line.get("finding") or "no reason given")
    claims = line.get("claims")
    if isinstance(claims, list):
        for claim in claims:
            if isinstance(claim, Mapping) and claim.get("status") in {"unsupported", "contradicted"}:
                return f'{claim["status"]} claim "{claim.get("text")}"; {reason}'
    held = _against(line)
    return f"{held}; {reason}" if held else reason


def _against(line: Mapping[str, Json]) -> str | None:
    """Return what of a reference decided a failure: a contradiction before what is missing."""
    facts, further = line.get("facts"), line.get("contradictions")
    rows = [row for row in (facts if isinstance(facts, list) else ()) if isinstance(row, Mapping)]
    listed = [row for row in (further if isinstance(further, list) else ()) if isinstance(row, Mapping)]
    said = [f'contradicted fact "{row.get("text")}"' for row in rows if row.get("status") == "contradicted"]
    said += [f'against the reference: "{row.get("text")}"' for row in listed]
    said += [f'missing fact "{row.get("text")}"' for row in rows if row.get("status") == "missing"]
    return said[0] if said else None


def judge(header: JudgeHeader) -> str:
    """Return which judge answered, under which prompt."""
    everybody = ", ".join(answered_by(header))
    answered = f", answered by {everybody}" if everybody else ""
    samples = f", {header.samples} samples a case" if header.samples > 1 else ""
    return one_line(f"{header.judge}{answered} (prompt {header.prompt}{samples})")


def classifier(use: ClassifierUse) -> str:
    """Return who answered a classifier scorer, and what asking took."""
    who = ", ".join(use.models) or str(use.identity.get("model") or use.identity.get("style"))
    told = figures.counts(
        {
            "asked": use.asked,
            "from the cache": use.cache_hits,
            "shared": use.shared,
            "failed": use.failed,
            "not asked": use.not_asked,
        }
    )
    place = "/".join(dict.fromkeys((use.capability, use.scorer)))
    return one_line(f"{place}: {who}, {figures.cases(use.cases)}{f' ({told})' if told else ''}")


def health(found: Health) -> str:
    """Return the judge as an instrument, in one line."""
    return f"{requests(found)}; self-agreement {one_line(found.self_agreement)}"


def requests(found: Health) -> str:
    """Return what came of a run's judge requests."""
    errors = sum(found.judge_errors.values())
    kinds = f" ({one_line(figures.counts(found.judge_errors))})" if errors else ""
    rate = "" if found.judge_error_rate is None else f" = {figures.percent(found.judge_error_rate)}"
    budget = f"{'within' if found.within_budget else 'OVER'} the budget of {figures.percent(found.budget)}"
    parts = [
        f"{figures.counted(found.judged, 'request')}, {figures.counted(found.verdicts, 'verdict')}",
        f"judge errors {errors}{kinds}{rate}, {budget}",
    ]
    if found.not_bought:
        parts.append(unanswered(found))
    if found.first_try_valid is not None:
        parts.append(f"{figures.percent(found.first_try_valid)} valid at the first reply")
    if found.verdict_retries:
        parts.append(figures.counted(found.verdict_retries, "verdict retry", "verdict retries"))
    if found.findings:
        parts.append(f"{figures.cases(found.findings)} with an instruction or altered text in the material")
    return "; ".join(parts)


def unanswered(found: Health) -> str:
    """Return how many requests have no answer, those that were submitted apart; for a run that has such."""
    never = found.not_bought - found.in_open_batches
    parts = [f"{found.in_open_batches:,} in open batches"] if found.in_open_batches else []
    return ", ".join([*parts, *([f"{never:,} never asked"] if never else [])])


def association(found: Association) -> str:
    """Return how length goes with the verdict."""
    where = one_line(f"{found.capability} {found.criterion}")
    if found.somers_d is None:
        return f"length and verdict, {where}: {one_line(found.note or 'not measured')}"
    limits = "" if found.interval is None else f" ({found.interval[0]:+z.2f} to {found.interval[1]:+z.2f})"
    return f"length and verdict, {where}: Somers' D {found.somers_d:+z.2f}{limits}, n {found.n}; an audit, not a cause"


def independence(report: Report) -> str:
    """Return whether judge and candidate are independent, and why."""
    state = report.independence.get("independent")
    word = "unknown" if state is None else "yes" if state else "NO"
    reason = report.independence.get("reason")
    return f"{word}: {one_line(str(reason))}" if reason else word


def purchases(found: Purchases) -> str:
    """Return what this run bought and what it was spared. Unknown is unknown, never 0."""
    if not (found.calls or found.cache_hits or found.shared or found.stopped or found.replayed):
        return "nothing was asked over the network"
    if found.replayed:
        return f"nothing; {figures.counted(found.replayed, 'request')} answered from a recording"
    at_least = "at least " if found.unknown_usage else ""
    tokens = f"{at_least}{found.input_tokens:,} tokens in, {found.output_tokens:,} out"
    bought = f"{figures.counted(found.bought, 'verdict')} in {figures.counted(found.calls, 'call')}"
    batched = f", {found.batched:,} of them in batches" if found.batched else ""
    parts = [f"{bought}{batched} ({tokens}; {figures.dollars(found.cost_usd)})"]
    if not found.calls:
        parts = ["nothing"]
    if found.too_large:
        parts.append(f"{figures.counted(found.too_large, 'request')} too large for a batch")
    if found.cache_hits:
        saved = f"{found.saved_input_tokens:,} tokens in, {found.saved_output_tokens:,} out"
        parts.append(
            f"the cache spared {figures.counted(found.cache_hits, 'verdict')} ({saved}; {figures.dollars(found.saved_cost_usd)})"
        )
    if found.shared:
        parts.append(f"{found.shared:,} shared one purchase")
    if found.transport_retries:
        parts.append(f"sent again: {one_line(figures.counts(found.transport_retries))}")
    if found.latency_ms is not None:
        parts.append(f"median {found.latency_ms.p50:,.0f} ms, 99 % within {found.latency_ms.p99:,.0f} ms")
    if found.stopped:
        parts.append(f"STOPPED EARLY: {one_line(found.stopped)}")
    return "; ".join(parts)


def triage_costs(report: Report, manifest: Manifest) -> Iterator[str]:
    """Yield what each triage took per case, all samples together, whenever its verdicts were bought."""
    triages = {(row.capability, row.scorer) for row in report.rows if row.mode == "triage"}
    for use in manifest.judges:
        cost = use.per_case
        if cost is None or (use.capability, use.identity.get("rubric")) not in triages:
            continue
        name = one_line("/".join(dict.fromkeys((use.capability, str(use.identity.get("rubric"))))), 80)
        least = "at least " if cost.unknown_usage else ""
        dollars = "no prices in judge.yaml" if cost.cost_usd is None else f"${cost.cost_usd:.4f}"
        tokens = f"{least}{cost.input_tokens:,.0f} tokens in, {cost.output_tokens:,.0f} out"
        yield f"cost per case of {name}: {tokens}; {dollars}; over {figures.counted(cost.cases, 'case')}"


def constitutions(report: Report) -> Iterator[str]:
    """Yield where outputs were written under another content standard than the judge applies, or nobody says under which."""
    for use in report.constitutions:
        name = f"the constitution of rubric {one_line(use.rubric, 60)} ({use.sha256[:12]}...)"
        if use.state == "differs":
            other = one_line(str(use.candidate_sha256), 12)
            yield (
                f"OTHER CONSTITUTION: candidate.yaml says that these outputs were written under {other}..., the judge applies "
                f"{name}: they were not told what they are judged by"
            )
        elif use.state == "unknown":
            yield f"candidate.yaml has no constitution_sha256: nobody says whether the writer was given {name}"


def _provisional(rows: Sequence[Row]) -> Iterator[str]:
    """Yield that rows are provisional, and the reasons where it is not just that nobody has calibrated."""
    if not any(row.trust == "provisional" for row in rows):
        return
    doubts: dict[str, list[str]] = {}
    for row in rows:
        if doubt := doubt_of(row):
            doubts.setdefault(doubt, []).append(one_line(f"{row.capability}: {row.criterion}", 80))
    yield SOME_PROVISIONAL if doubts or any(row.trust == "trusted" for row in rows) else PROVISIONAL
    for doubt, names in doubts.items():
        yield f"provisional, {one_line(', '.join(names), 300)}: {one_line(doubt, 600)}"


def cautions(report: Report) -> Iterator[str]:
    """Yield what the figures may not be used for."""
    yield from constitutions(report)
    if any(row.insufficient and row.n for row in report.rows):
        yield INSUFFICIENT
    yield from _provisional(report.rows)
    if any(header.judge.startswith("floor") for header in report.judges):
        yield FLOOR
