"""The options of `sort`, as those of the commands `gpusort job plan`, `sort` and `merge`."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, SupportsIndex, TypedDict


class TaskOptions(TypedDict, total=False):
    """How a worker runs a task. The output does not depend on it."""

    #: "auto", "gpu", "software", "cpu", or part of an adapter's name.
    device: str
    #: Threads of the CPU that a task uses at most.
    threads: int
    #: The folder for temporary files of a task: on each worker its own.
    temp_dir: str


class Options(TaskOptions, total=False):
    """What to sort and how; `gpusort job plan --help` says more."""

    descending: bool
    #: Keep only the first of equal keys.
    unique: bool
    #: The type of the keys, such as "u64".
    type: str
    #: The format of the inputs: "raw", "npy", "text" or "records".
    format: str
    byte_order: Literal["little", "big"]
    #: Bytes to skip at the start of each input.
    skip_bytes: int
    #: Bytes of a record.
    record: int
    #: Keys of a record, each "OFFSET:BYTES" or "OFFSET:TYPE".
    key: str | list[str]
    #: Whether the first line of each text is a header.
    header: bool
    blank_lines: Literal["error", "skip"]
    text_overflow: Literal["error", "inf"]
    #: The format of the parts: "raw", "npy" or "text".
    to: str
    #: How to compress the parts: "gz", "zst" or "none".
    compress: str


_FLAGS = {"descending": "--reverse"}
_SWITCHES = ("descending", "unique", "header")
_TASK = tuple(TaskOptions.__annotations__)


def require_known(
    options: Mapping[str, object], function: str, parameters: Sequence[str], known: Collection[str]
) -> None:
    """Refuses options that do not exist.

    Args:
        options: what the caller gave.
        function: the name of the function that was called.
        parameters: the names of its other parameters.
        known: the names of its options.

    Raises:
        TypeError: names the first unknown option, and the one that may be meant.
    """
    for name in options:
        if name in known:
            continue
        near = difflib.get_close_matches(name, [*known, *parameters], n=1)
        hint = f"; did you mean '{near[0]}'?" if near else f"; its options are {', '.join(known)}"
        raise TypeError(f"{function}() has no option '{name}'{hint}")


def plan_words(options: Mapping[str, Any]) -> list[str]:
    """The words of a command line for the options of the plan."""
    return _words({name: value for name, value in options.items() if name not in _TASK})


def task_words(options: Mapping[str, Any]) -> list[str]:
    """The words of a command line for the options of tasks."""
    return _words({name: value for name, value in options.items() if name in _TASK})


def size_words(flag: str, size: SupportsIndex | str | None) -> list[str]:
    """A size as words. A number is in bytes, where the command alone would read KiB."""
    if size is None:
        return []
    if isinstance(size, str):
        return [flag, size]
    name = flag.removeprefix("--").replace("-", "_")
    return [flag, f"{whole_number(name, size, 'a whole number of bytes, or text such as 2G')}b"]


def whole_number(name: str, value: SupportsIndex, needed: str = "a whole number") -> int:
    """An integer of any class, such as one of NumPy. Raises TypeError for anything else."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}: give {needed}") from None


def _words(options: Mapping[str, Any]) -> list[str]:
    words: list[str] = []
    for name, value in options.items():
        flag = _FLAGS.get(name, "--" + name.replace("_", "-"))
        if value is None:
            continue
        if name in _SWITCHES:
            if value not in (True, False):  # one of NumPy may be
                raise TypeError(f"{name} is {value!r}: give True or False")
            if value:
                words.append(flag)
            continue
        for each in value if isinstance(value, (list, tuple)) else [value]:
            # A value that begins with a dash would be read as another option otherwise.
            words.append(f"{flag}={each}")
    return words
