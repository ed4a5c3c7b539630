"""A raw judge reply and a rubric give a Verdict or a Rejection. Pure: no model, no disk, no clock."""
