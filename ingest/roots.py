"""Which folders an ingest scans, and which data set each belongs to."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any, NamedTuple

from ingest import read
from ingest.errors import Reason, RejectedInput, UsageError
from ingest.home import SAMPLE, Home
from ingest.lake import DatasetRow, Lake
from ingest.parse import json_text


class Root(NamedTuple):
    """A folder to scan and the data set its files belong to."""

    folder: Path
    dataset: str


def root_of(folder: Path, dataset: str | None = None) -> Root:
    """A folder as a root. Raises UsageError where it is missing, no folder or not nameable."""
    folder = folder.expanduser().resolve()  # one folder is one root, however it was given
    try:
        os.fspath(folder).encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(
            f"{os.fspath(folder)!a} is not UTF-8, so the lake cannot keep it. Rename the folder."
        ) from None
    if not folder.exists():
        raise UsageError(f"{folder} does not exist.")
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder. Give the folder that holds the traces.")
    if dataset:
        return Root(folder, _checked_name(dataset))
    with contextlib.suppress(RejectedInput):  # told as a rejected file when the root is scanned
        dataset = read_card(folder).get("dataset")
    return Root(folder, _checked_name(dataset or folder.name))


def default_roots(home: Home, lake: Lake) -> tuple[list[Root], list[str]]:
    """The roots of a call without PATH, and notes for the user.

    Every folder in `raw/` and every root the lake knows; the bundled samples where that is nothing.
    """
    roots, notes = [], []
    known = {(folder, dataset) for folder, dataset in lake.roots() if not is_bundled(folder)}
    for folder, dataset in sorted(known):
        if Path(folder).is_dir():
            roots.append(Root(Path(folder), dataset))
        else:
            notes.append(f"{folder} is not there now; what {dataset} holds of it stays as it is.")
    taken = {root.folder for root in roots}  # under a name that need not be the folder's own
    for entry in sorted(home.raw.iterdir()) if home.raw.is_dir() else ():
        if entry.name.startswith(".") or entry.resolve() in taken:
            continue
        if not entry.is_dir():
            notes.append(f"{entry} is not in a folder of its own in raw/, so it is not read.")
        elif _holds_input(entry):
            roots.append(root_of(entry))
        else:
            notes.append(f"{entry} holds nothing to read.")
    if not roots and not known:
        roots = [root_of(folder) for folder in sorted(SAMPLE.iterdir()) if folder.is_dir()]
    return roots, notes


def _holds_input(folder: Path) -> bool:
    """True where some file below `folder` is one that is read; stops at the first."""
    return any(
        read.kind_of_file(_below(folder, where, name), os.path.join(where, name))
        in read.INPUT_KINDS
        for where, _, files in os.walk(folder)
        for name in files
        if not name.startswith(".")
    )


def _below(folder: Path, where: str, name: str) -> str:
    return (Path(where) / name).relative_to(folder).as_posix()


def is_bundled(folder: str | os.PathLike) -> bool:
    """True for a folder of the samples that come with the project."""
    return Path(folder).is_relative_to(SAMPLE)


def _checked_name(name: str) -> str:
    if not name.strip() or name in ("_", "none") or "/" in name or not name.isprintable():
        raise UsageError(f"{name!r} cannot be the name of a data set.")
    return name


def read_card(folder: Path) -> dict[str, Any]:
    """The root's dataset.json, or {}; raises RejectedInput (`bad_dataset_card`)."""
    path = folder / "dataset.json"
    if not path.is_file():
        return {}
    try:
        card = json_text.loads(json_text.checked_utf8(read.read_bytes(os.fspath(path))))
    except RejectedInput as error:
        raise RejectedInput(Reason.BAD_DATASET_CARD, error.message, error.at) from None
    if not isinstance(card, dict):
        raise RejectedInput(Reason.BAD_DATASET_CARD, "dataset.json is not a JSON object.")
    for key in ("dataset", "description", "source", "licence", "revision"):
        if not isinstance(card.get(key, ""), str):
            raise RejectedInput(
                Reason.BAD_DATASET_CARD, f"`{key}` of dataset.json is not text.", f"/{key}"
            )
    if not isinstance(card.get("is_synthetic", False), bool):
        raise RejectedInput(
            Reason.BAD_DATASET_CARD, "`is_synthetic` is not true or false.", "/is_synthetic"
        )
    return card


def dataset_row(roots: list[Root], before: DatasetRow | None) -> DatasetRow:
    """What is known of a data set: its roots' dataset.json, else what was known `before`.

    A card that cannot be used says nothing here; its row in `source_files` tells.
    """
    card: dict[str, Any] = {}
    for root in roots:
        with contextlib.suppress(RejectedInput):
            card = read_card(root.folder) or card
    if not card and before is not None:
        return before
    return DatasetRow(
        card.get("is_synthetic"),
        card.get("description"),
        card.get("source"),
        card.get("licence"),
        card.get("revision"),
        all(is_bundled(root.folder) for root in roots),
    )
