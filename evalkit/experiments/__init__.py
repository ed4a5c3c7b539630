"""Experiments on the judge: perturb, ask through `lookup` and `buy`, compare. They never change a run."""
