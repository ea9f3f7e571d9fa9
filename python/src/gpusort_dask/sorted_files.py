"""What a finished job wrote."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Part:
    """A file of the output."""

    path: str
    items: int
    bytes: int
    #: That of `gpusort verify`.
    checksum: str


@dataclass(frozen=True)
class SortedFiles:
    """The output of a job, as its `_SUCCESS.json` says. The parts follow each other in order."""

    #: The folder of the parts.
    folder: str
    #: Names the plan of the job.
    job: str
    inputs: int
    input_bytes: int
    items: int
    #: Items that are equal to the one before them.
    duplicates: int
    #: The sum of those of the parts.
    checksum: str
    descending: bool
    unique: bool
    parts: tuple[Part, ...]


def sorted_files(folder: str, success: Mapping[str, Any]) -> SortedFiles:
    """Reads what `gpusort job finish --json` prints."""
    return SortedFiles(
        folder=folder,
        job=success["job"],
        inputs=success["inputs"],
        input_bytes=success["inputBytes"],
        items=success["items"],
        duplicates=success["duplicates"],
        checksum=success["checksum"],
        descending=success["order"] == "descending",
        unique=success["unique"],
        parts=tuple(
            Part(os.path.join(folder, part["name"]), part["written"], part["bytes"], part["checksum"])
            for part in success["parts"]
        ),
    )
