from __future__ import annotations

import pytest
from fakes.calibrated import calibration

from evalkit.errors import RunStoreError
from evalkit.runstore.calibrations import stored_calibrations, write_calibration


def test_calibrations_are_read_back_the_newest_first_and_of_this_suite_only(tmp_path):
    older = calibration(made_at="2025-01-02T03:04:05+00:00")
    for one in (older, calibration()):
        write_calibration(tmp_path, one, [], "")
    assert [one for _, one in stored_calibrations(tmp_path, "shop")] == [calibration(), older]
    assert stored_calibrations(tmp_path, "nobody") == []


@pytest.mark.parametrize("text", ["{", "{}"])
def test_a_damaged_calibration_is_named(tmp_path, text):
    files = write_calibration(tmp_path, calibration(), [], "")
    files.calibration.write_text(text, encoding="utf-8")
    with pytest.raises(RunStoreError, match=rf"{files.calibration.name}: is no calibration"):
        stored_calibrations(tmp_path, "shop")
