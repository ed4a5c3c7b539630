"""Options that commands share as a whole list: a frozen dataclass of them is one parameter of a command.

typer makes options of a function's parameters, one by one, and knows no groups. `grouped` lets a command take a dataclass and shows
typer, in its place and in its order, the dataclass's own fields; a group may hold groups. So a list of options that a dozen
commands share is written once, and what they mean together (`AskOptions.request`) stands beside it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import wraps
from typing import Any, get_type_hints

Command = Callable[..., None]


def grouped(command: Command) -> Command:
    """Return a command as typer is to see it, each parameter that is a dataclass spread into its fields.

    Parameters that are spread must be keyword-only, and no two fields of a command may have one name: ValueError of `inspect`.
    """
    signature = inspect.signature(command, eval_str=True)
    taken = signature.parameters.values()

    @wraps(command)
    def spread(**given: Any) -> None:
        command(**_gathered(taken, given))

    spread.__signature__ = signature.replace(parameters=list(_spread(taken)))  # type: ignore[attr-defined]
    return spread


def _group(parameter: inspect.Parameter) -> Callable[..., object] | None:
    """Return the dataclass that a parameter is, None for an option or argument of its own."""
    named = parameter.annotation
    return named if isinstance(named, type) and is_dataclass(named) else None


def _spread(parameters: Iterable[inspect.Parameter]) -> Iterator[inspect.Parameter]:
    """Yield the parameters with every group replaced by its fields, in order."""
    for parameter in parameters:
        group = _group(parameter)
        if group is None:
            yield parameter
        else:
            yield from _spread(_fields(group))


def _gathered(parameters: Iterable[inspect.Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by parameter, every group made of the values of its fields."""
    values: dict[str, Any] = {}
    for parameter in parameters:
        group = _group(parameter)
        name = parameter.name
        values[name] = given[name] if group is None else group(**_gathered(_fields(group), given))
    return values


def _fields(group: Callable[..., object]) -> Iterable[inspect.Parameter]:
    """Return a group's fields, each annotation read in the module of the class that wrote it: a group may extend another."""
    hints = get_type_hints(group, include_extras=True)
    return [one.replace(annotation=hints[one.name]) for one in inspect.signature(group).parameters.values()]
