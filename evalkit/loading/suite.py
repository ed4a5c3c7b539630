"""Reading a suite's folder (thin)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from evalkit.records.cases import Case
from evalkit.records.judges import JudgeConfig
from evalkit.records.outputs import Candidate, Output
from evalkit.records.rubrics import Rubric
from evalkit.records.suites import Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSuite:
    """A suite with everything it names, read and checked."""

    folder: Path
    suite: Suite
    rubrics: dict[str, Rubric]
    judge: JudgeConfig


def load_suite(path: Path) -> LoadedSuite:
    """Read suite.yaml and all it names."""
    folder = path if path.is_dir() else path.parent
    suite = Suite.model_validate_json(json.dumps(yaml.safe_load((folder / "suite.yaml").read_text(encoding="utf-8"))))
    names = {use.rubric for capability in suite.capabilities for use in capability.judge}
    rubrics = {}
    for name in names:
        data = yaml.safe_load((Path("rubrics") / f"{name}.yaml").read_text(encoding="utf-8"))
        rubrics[name] = Rubric.model_validate_json(json.dumps(data))
    return LoadedSuite(folder=folder, suite=suite, rubrics=rubrics, judge=JudgeConfig())


def read_cases(path: Path) -> Iterator[Case]:
    """Yield the golden set's cases."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield Case.model_validate_json(line)


class OutputsFolder:
    """A candidate's cached outputs, by case id."""

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        self.candidate = Candidate()
        self._outputs: dict[str, Output] = {}
        with (folder / "outputs.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    output = Output.model_validate_json(line)
                    self._outputs[output.case_id] = output

    def last_attempt(self, case_id: str) -> Output | None:
        """Return the case's last attempt, or None where it has none."""
        return self._outputs.get(case_id)
