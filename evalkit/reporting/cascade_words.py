"""Cascades in words: who decided, how the tiers agree, what each took. Read by the terminal and by report.md."""

from __future__ import annotations

from collections.abc import Iterator

from evalkit.records.manifests import Manifest
from evalkit.records.reports import Report
from evalkit.records.tiers import CascadeReport, CascadeUse, ExperimentCascade, TierReading, TierUse
from evalkit.reporting import figures
from evalkit.reporting.escape import one_line

WHY = {
    "uncertain": "uncertain",
    "classifier_failed": "classifier failed",
    "altered_text": "altered text",
    "not_asked": "not asked",
}


def cascade_lines(report: Report, manifest: Manifest) -> Iterator[str]:
    """Yield for each cascade who decided, how the tiers agree, and what each tier took in this run."""
    uses = {(use.capability, use.rubric): use for use in manifest.cascades}
    for found in report.cascades:
        place = f"cascade {found.capability}/{found.rubric}"
        yield one_line(f"{place}: {_decided(found)}; {_agreement(found)}")
        use = uses.get((found.capability, found.rubric))
        if use is not None:
            yield one_line(f"{place}, asked by this run: {_took(use)}")


def cascade_cells(report: Report) -> Iterator[tuple[str, ...]]:
    """Yield a row per criterion: capability, criterion, cases by classifier and judge, uncertain, both judged, agreed, interval."""
    for found in report.cascades:
        for row in found.rows:
            low, high = row.interval or (None, None)
            yield (
                found.capability,
                f"{found.rubric}/{row.criterion}",
                str(row.by_classifier),
                str(row.by_judge),
                "" if row.uncertain is None else str(row.uncertain),
                str(row.checked),
                str(row.agreed),
                "" if low is None or high is None else f"{low:.3f} to {high:.3f}",
            )


def tier_line(told: TierReading) -> str:
    """Return how a cascade came to one case's verdict: who decided, by which probabilities, and what a check said."""
    read = ", ".join(f"{name} {answer.p_pass:.3g} ({answer.band})" for name, answer in told.answers.items())
    why = f"{WHY.get(told.why, told.why)}{f': {told.detail}' if told.detail else ''}"
    text = f"cascade: decided by the {told.decided_by} ({why}); sure below {told.low:g} and above {told.high:g}"
    text += f"; the classifier's probabilities of a pass: {read}" if read else ""
    if told.check is None:
        return text
    grades = ", ".join(f"{name} {grade}" for name, grade in told.check.grades.items())
    return f"{text}; the judge, asked as a check: {grades or 'no verdict'}"


def experiment_cascade(found: ExperimentCascade) -> str:
    """Return who decided the verdicts of an experiment, and what asking the classifier took."""
    failed = f", {found.classifier_failed:,} because the classifier failed" if found.classifier_failed else ""
    left = found.verdicts - found.by_classifier - found.not_asked
    nobody = f", {found.not_asked:,} nobody was asked about" if found.not_asked else ""
    return one_line(
        f"the classifier decided {found.by_classifier:,} of {figures.counted(found.verdicts, 'verdict')}, {left:,} were left to the judge{failed}{nobody}; "
        f"questions to the classifier: {_tier(found.classifier)}"
    )


def _decided(found: CascadeReport) -> str:
    open_cases = found.escalated.get("not_asked", 0)
    escalated = sum(found.escalated.values()) - open_cases
    why = figures.counts({WHY[name]: count for name, count in found.escalated.items() if name != "not_asked"})
    share = f", {figures.percent(escalated / found.cases)}" if found.cases else ""
    nobody = f"; nobody was asked about {figures.cases(open_cases)}" if open_cases else ""
    cuts = f"sure below {found.low:g} and above {found.high:g}"
    return (
        f"{found.classifier} decided {found.by_classifier:,} of {figures.cases(found.cases)} ({cuts}), "
        f"the judge {escalated:,}{share}{f' ({why})' if why else ''}{nobody}"
    )


def _agreement(found: CascadeReport) -> str:
    failed = sum(found.sample_errors.values())
    if not failed:
        return _agreed(found)
    kinds = figures.counts(found.sample_errors)
    return f"{_agreed(found)}; JUDGE ERRORS on the sample: {failed:,} of {found.sampled:,} ({kinds})"


def _agreed(found: CascadeReport) -> str:
    checked = {row.criterion: row for row in found.rows if row.checked}
    if not checked:
        return (
            "agreement of the two was not measured" if not found.sampled else "the judge gave no verdict on the sample"
        )
    told = ", ".join(f"{name} {row.agreed} of {row.checked}" for name, row in checked.items())
    return f"both judged a sample of {found.sampled:,} and agree on {told}"


def _took(use: CascadeUse) -> str:
    parts = {"classifier": use.classifier, "judge": use.judge, "judge on the sample": use.check}
    return "; ".join(f"{name} {_tier(tier)}" for name, tier in parts.items())


def _tier(tier: TierUse) -> str:
    cached = f", {tier.cache_hits:,} from the cache" if tier.cache_hits else ""
    cached += f", {tier.replayed:,} from the recording" if tier.replayed else ""
    failed = f", {tier.failed:,} failed" if tier.failed else ""
    if not tier.asked and not tier.failed:
        return f"nothing{cached}"
    if not tier.asked:
        return f"no answer{failed}{cached}"
    if tier.cost_usd == 0 and tier.input_tokens is None:
        return f"{tier.asked:,} (costs nothing){failed}{cached}"
    known = tier.input_tokens is not None and tier.output_tokens is not None
    tokens = f"{tier.input_tokens:,} tokens in, {tier.output_tokens:,} out" if known else "tokens unknown"
    return f"{tier.asked:,} ({tokens}; {figures.dollars(tier.cost_usd)}){failed}{cached}"
