"""Injection payloads: those that evalkit ships, and a file of the user's own."""

from __future__ import annotations

from pathlib import Path

from evalkit.errors import InputError
from evalkit.loading.faults import FaultList
from evalkit.loading.files import input_error
from evalkit.loading.identifiers import SeenIds
from evalkit.loading.jsonl import Decoder, read_lines
from evalkit.records.payloads import Payload

SHIPPED = Path(__file__).with_name("injection_payloads.jsonl")


def read_payloads(own: Path | None) -> tuple[Payload, ...]:
    """Return the shipped payloads, then those of `own`; an id of the user's replaces the shipped payload of that id.

    Raises InputError with all faults of the user's file.
    """
    payloads = {payload.id: payload for payload in _read(SHIPPED)}
    if own is not None:
        payloads |= {payload.id: payload for payload in _read(own)}
    return tuple(payloads.values())


def _read(path: Path) -> list[Payload]:
    decoder = Decoder(Payload, path)
    faults, seen = FaultList(), SeenIds(str(path), "id")
    payloads = []
    for line in read_lines(path):
        try:
            payload = decoder.decode(line)
        except InputError as error:
            faults.absorb(error)
            continue
        double = seen.add(payload.id, line.number)
        if double:
            faults.add(double)
        payloads.append(payload)
    faults.raise_if_any()
    if not payloads:
        raise input_error(path, "holds no payload", "one JSON object a line was expected")
    return payloads
