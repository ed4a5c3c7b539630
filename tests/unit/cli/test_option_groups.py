"""Lists of options that commands share: spread for typer, gathered for the command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from evalkit.cli.option_groups import grouped


@dataclass(frozen=True, kw_only=True)
class Inner:
    tag: Annotated[list[str] | None, typer.Option("--tag")] = None


@dataclass(frozen=True, kw_only=True)
class Outer:
    plan: Annotated[bool, typer.Option("--plan")] = False
    only: Inner
    cost: Annotated[float | None, typer.Option("--cost", min=0)] = None


@pytest.fixture
def taken():
    return []


@pytest.fixture
def app(taken):
    made = typer.Typer(rich_markup_mode=None)

    @made.command(epilog="the end")
    @grouped
    def ask(
        suite: Annotated[str, typer.Argument()],
        *,
        seed: Annotated[int, typer.Option("--seed")] = 1,
        outer: Outer,
        as_json: Annotated[bool, typer.Option("--json")] = False,
    ) -> None:
        """Ask."""
        taken.append((suite, seed, outer, as_json))

    return made


def test_a_group_is_given_as_what_its_options_say(app, taken):
    ended = CliRunner().invoke(app, ["here", "--plan", "--tag", "a", "--tag", "b", "--cost", "2", "--json"])
    assert ended.exit_code == 0, ended.output
    assert taken == [("here", 1, Outer(plan=True, only=Inner(tag=["a", "b"]), cost=2.0), True)]


def test_a_group_keeps_its_defaults(app, taken):
    CliRunner().invoke(app, ["here"])
    assert taken == [("here", 1, Outer(only=Inner()), False)]


def test_an_option_of_a_group_is_checked_like_any_other(app, taken):
    ended = CliRunner().invoke(app, ["here", "--cost", "-1"])
    assert ended.exit_code == 2
    assert taken == []


def test_the_help_lists_the_options_of_a_group_in_its_place(app):
    words = CliRunner().invoke(app, ["--help"]).output.split()
    shown = [word for word in words if word in {"--seed", "--plan", "--tag", "--cost", "--json", "end"}]
    assert shown == ["--seed", "--plan", "--tag", "--cost", "--json", "end"]


def test_two_options_of_one_name_are_refused_when_the_command_is_made():
    def ask(*, plan: Annotated[bool, typer.Option("--plan")] = False, outer: Outer) -> None:
        raise AssertionError

    with pytest.raises(ValueError, match="duplicate parameter name: 'plan'"):
        grouped(ask)
