"""Who is asked: a classifier.yaml opened as a classifier that remembers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evalkit.classifiers.replies import BOUGHT
from evalkit.classifiers.seam import Classifier
from evalkit.classifiers.styles import make_classifier
from evalkit.experiments.batteries.remembering import Remembering
from evalkit.loading.classifier_files import read_canned, read_classifier
from evalkit.pipeline.replies import opened_cache
from evalkit.pipeline.request import RunRequest
from evalkit.records.classifiers import ClassifierConfig
from evalkit.records.progress import Progress


def opened(path: Path | None) -> tuple[ClassifierConfig, Classifier]:
    """Return a classifier.yaml and its classifier; the floor without a file.

    Raises InputError with the faults of its files, UsageError where a key, a model or an address is missing.
    """
    config = read_classifier(path) if path else ClassifierConfig()
    return config, make_classifier(config, read_canned(config, path.parent if path else Path()))


@contextmanager
def asked_by(
    config: ClassifierConfig, classifier: Classifier, request: RunRequest, progress: Progress, *, live: bool
) -> Iterator[Remembering]:
    """Give a classifier that remembers what a server answered; one that is not `live` only reads what is remembered."""
    bought = config.style in BOUGHT
    with opened_cache(request, progress.note, wanted=bought) as cache:
        yield Remembering(classifier.identity, classifier if live or not bought else None, cache)
