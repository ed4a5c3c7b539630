"""trust.json on the disk: what was written is read, what contradicts itself is refused by name."""

from __future__ import annotations

import pytest
from fakes.trust import MET, trusted

from evalkit.errors import RunStoreError
from evalkit.records.trust import Condition, Ledger, TrustedJudge
from evalkit.runstore.ledger import read_ledger, write_ledger

FAILED = (Condition(name="padding", state="failed", figures="moves"), *MET[:-1])
OPEN = (Condition(name="padding", state="undecided", figures="not measured"), *MET[:-1])


def stored(folder, *rows):
    judges = {row.judge_config_hash: TrustedJudge(judge="j", snapshots=(), identity={}) for row in rows}
    write_ledger(folder, Ledger(suite="shop", judges=judges, rows=rows))
    return read_ledger(folder)


def test_what_was_written_is_read(tmp_path):
    undecided = trusted(criterion="F2", state="UNDECIDED", conditions=OPEN)
    failed = trusted(criterion="F3", state="NOT TRUSTED", conditions=FAILED)
    assert stored(tmp_path, trusted(), undecided, failed).rows == (trusted(), undecided, failed)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (trusted(conditions=OPEN), "says TRUSTED, and its conditions say UNDECIDED"),
        (trusted(conditions=FAILED), "says TRUSTED, and its conditions say NOT TRUSTED"),
        (trusted(state="UNDECIDED", conditions=FAILED), "says UNDECIDED, and its conditions say NOT TRUSTED"),
        (trusted(conditions=MET[:-2]), "says TRUSTED without the conditions independence, padding"),
        (trusted(conditions=()), "says TRUSTED without the conditions"),
        (trusted(conditions=(*MET, MET[0])), "names a condition twice: true-pass rate"),
    ],
)
def test_a_state_that_the_conditions_do_not_give_is_refused(tmp_path, row, said):
    with pytest.raises(RunStoreError, match=rf"trust\.json: the row faithfulness / faithfulness / F1 of .* {said}"):
        stored(tmp_path, row)


def test_a_row_that_stands_twice_is_refused(tmp_path):
    with pytest.raises(RunStoreError, match="stands 2 times"):
        stored(tmp_path, trusted(), trusted(state="UNDECIDED", conditions=OPEN))
