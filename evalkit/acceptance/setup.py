"""From the command line's words to a generator, and from a suite to a specification on the disk."""

from __future__ import annotations

from pathlib import Path

from evalkit.acceptance.command import parse_command
from evalkit.acceptance.criteria import build_criteria
from evalkit.acceptance.generator import GeneratorConfig
from evalkit.acceptance.request import AcceptRequest
from evalkit.acceptance.run import opened
from evalkit.errors import RunStoreError, UsageError
from evalkit.loading.acceptance_files import LoadedSpec, load_spec, spec_text
from evalkit.loading.suites import load_judge
from evalkit.loading.yaml_files import read_record
from evalkit.records.judges import JudgeConfig
from evalkit.records.outputs import Candidate
from evalkit.runstore.own_files import write_own


def command_generator(command: str, candidate: Path | None, *, shell: bool) -> GeneratorConfig:
    """Return a generator that is a command. Raises UsageError where there is no such program, InputError for candidate.yaml."""
    words = parse_command(command, shell=shell)
    known = _candidate(candidate)
    if not known.name:
        known = known.model_copy(update={"name": Path(words[-1]).name if not shell else "command"})
    return GeneratorConfig(command=words, shell=shell, candidate=known)


def model_generator(model: str, candidate: Path | None) -> GeneratorConfig:
    """Return a generator that is a model: a litellm model's name, or a file like judge.yaml.

    Raises InputError for faulty files, UsageError for the floor judge, which writes no answers.
    """
    path = Path(model)
    file = model.endswith((".yaml", ".yml"))
    asked = load_judge(path) if file else JudgeConfig(client="litellm", model=model)
    if asked.client == "floor":
        raise UsageError("--generator-model: the floor judge writes no answers; name a model")
    known = _candidate(candidate)
    named = {
        "name": known.name or asked.model,
        "model": known.model or asked.model,
        "family": known.family or asked.family,
    }
    folder = path.parent if file else Path()
    return GeneratorConfig(model=asked, folder=folder, candidate=known.model_copy(update=named))


def _candidate(path: Path | None) -> Candidate:
    return Candidate() if path is None else read_record(Candidate, path).record


def export_spec(request: AcceptRequest, target: Path) -> LoadedSpec:
    """Write the specification that a suite comes to, and return it as it reads back.

    Raises InputError for faults of the suite, UsageError where it would not mean the same in the target's folder, or would
    replace the specification that is read or another kind of file.
    """
    loaded, spec = opened(request)
    build_criteria(spec, spec.judge)
    elsewhere = target.resolve().parent != loaded.folder.resolve()
    if elsewhere and spec.spec.allow_custom_scorers:
        raise UsageError(f"{target}: scorers of the suite's own stand in its folder; export into {loaded.folder}")
    if elsewhere and spec.judge is not None and spec.judge.replay:
        raise UsageError(f"{target}: the judge's recording stands in the suite's folder; export into {loaded.folder}")
    write_own(target, spec_text(spec.spec), "specification", [request.spec] if request.spec else [])
    written = load_spec(target)
    if written.sha256 != spec.sha256:
        raise RunStoreError(f"{target}: does not read back as it was written; please report it with the suite")
    return LoadedSpec(spec=written.spec, file=target, document=written.document, notes=spec.notes)
