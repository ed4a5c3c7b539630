"""A plan on the terminal: what a run would buy, where its tokens go, and what each lever saves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evalkit.records.plans import ClassifierPlan, Lever, Plan, PlanRow, Tokens
from evalkit.reporting import figures
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Cells, Page


def print_plan(page: Page, plan: Plan) -> None:
    """Print what a run would buy."""
    page.line(one_line(f"{plan.suite} / {plan.outputs}: {_to_buy(plan)}"), style="bold")
    page.line(
        f"judge: {one_line(plan.judge)}; {figures.cases(plan.cases)}; nothing was asked and nothing was bought",
        indent=2,
    )
    if not plan.rows:
        page.line("no capability of this suite uses a judge", indent=2)
    elif any(row.at_once for row in plan.rows):
        page.line("the floor judge answers at once: its verdicts are neither bought nor kept in the cache", indent=2)
    elif batches := _batches(plan):
        page.line(batches, indent=2)
    if plan.to_buy:
        page.line(_tokens(plan), indent=2)
        page.line(one_line(plan.basis), indent=2, style="dim")
    page.line()
    page.columns(_rows(plan))
    for row in plan.classifiers:
        page.line(_classifier(row, plan.cases), indent=2)
    if plan.levers:
        page.line()
        page.line("What saves how much", style="bold")
        page.columns([_lever(lever) for lever in plan.levers], indent=2)


def _to_buy(plan: Plan) -> str:
    """Questions of which nobody knows the price are named as such, so a cost never stands alone above them."""
    splits = f" and {figures.counted(plan.splits, 'reference')} to split" if plan.splits else ""
    verdicts = f"{figures.counted(plan.to_buy, 'verdict')} to buy{splits}, {figures.dollars(plan.cost_usd)}"
    questions = sum(row.to_ask for row in plan.classifiers)
    if not questions:
        return verdicts
    asked = f"{figures.counted(questions, 'question')} to ask of classifiers, {_priced(plan.classifiers)}"
    return f"{verdicts}; {asked}" if plan.to_buy or plan.splits else asked


def _priced(rows: Iterable[ClassifierPlan]) -> str:
    """Return what the questions of classifiers cost, as far as prices are known."""
    asked = [row for row in rows if row.to_ask]
    known = [row.cost_usd for row in asked if row.cost_usd is not None]
    unknown = sum(row.to_ask for row in asked if row.cost_usd is None)
    if not known:
        return "whose price is not known here"
    about = f"about {figures.dollars(sum(known))}"
    return f"{about} without {figures.counted(unknown, 'question')} whose price is not known" if unknown else about


def _batches(plan: Plan) -> str:
    """Return what goes in batches and what does not; empty where everything is asked one by one by choice."""
    parts = [f"bought in {figures.counted(plan.batches, 'batch', 'batches')}"] if plan.batches else []
    if plan.too_large:
        large = figures.counted(plan.too_large, "request")
        parts.append(f"{large} larger than `batch.max_bytes`, asked one by one at the judge's own prices")
    if plan.already_open:
        waiting = figures.counted(plan.already_open, "request")
        parts.append(f"beside that {waiting} in batches that are open already: waited for, not bought again")
    return "; ".join(parts)


def _classifier(row: ClassifierPlan, cases: int) -> str:
    """Return what a classifier would be asked; more states than `cases` are an experiment's samples and versions of texts."""
    told = figures.counts({"at once": row.at_once, "from the cache": row.cached, "to ask": row.to_ask})
    open_cases = row.before_judge and row.cases > row.cached
    most = "; every case without its answers counts above as the judge's: at most" if open_cases else ""
    who = "classifier before the judge of" if row.before_judge else "classifier"
    needed = figures.cases(row.cases) if row.cases <= cases else figures.counted(row.cases, "verdict")
    return one_line(
        f"{who} {row.capability}: {row.scorer}, {row.classifier}, {needed} ({told or 'nothing to ask'}){most}"
    )


def _tokens(plan: Plan) -> str:
    parts = plan.input_tokens
    shares = ", ".join(
        f"{name} {figures.percent(getattr(parts, name) / parts.total)}" for name in Tokens.model_fields if parts.total
    )
    share = "" if plan.input_share is None else f", input is {figures.percent(plan.input_share)} of all tokens"
    return f"about {parts.total:,} tokens in ({shares}) and {plan.output_tokens:,} out{share}"


def _rows(plan: Plan) -> Iterator[tuple[Cells, str]]:
    at_once = any(row.at_once for row in plan.rows)
    if plan.rows:
        yield (
            (
                "",
                "cases",
                "requests",
                "at once" if at_once else "cached",
                "to buy",
                "tokens out",
                "tokens in (template, context, candidate, rubric)",
            ),
            "dim",
        )
    for row in plan.rows:
        yield _row(row), ""


def _row(row: PlanRow) -> Cells:
    parts = row.input_tokens
    split = ", ".join(f"{getattr(parts, name):,}" for name in Tokens.model_fields)
    identical = figures.counted(row.shared, "request")
    beside = f"; {identical} identical to another" if row.shared else ""
    if row.already_open:
        beside += f"; {row.already_open:,} in open batches"
    return (
        one_line(f"{row.capability}: {row.rubric}", 80),
        f"{row.cases:,}",
        f"{row.requests:,}",
        f"{row.at_once or row.cached:,}",
        f"{row.to_buy:,}{f' + {row.splits:,} splits' if row.splits else ''}",
        f"{row.output_tokens:,}",
        f"{parts.total:,} ({split}){beside}" if row.to_buy else f"nothing to buy{beside}",
    )


def _lever(lever: Lever) -> tuple[Cells, str]:
    cells = (
        one_line(lever.name, 80),
        figures.counted(lever.requests, "request"),
        figures.counted(lever.tokens, "token"),
        one_line(lever.saves),
    )
    return cells, ""
