"""The error of this package."""

from __future__ import annotations

import re

#: Exit codes of `gpusort job`.
BAD_INPUT, DEVICE, STORAGE = 2, 3, 4


class GpusortError(RuntimeError):
    """A command of gpusort failed.

    Attributes:
        message: what gpusort printed, with the way out.
        code: its exit code: 2 for wrong input or options, 3 for a device, 4 for a disk, a network file system
            or a result that is missing; 127 if it could not be started; negative if a signal ended it.
        worker: the address of the Dask worker that ran it.
    """

    def __init__(self, message: str, code: int, worker: str | None = None) -> None:
        # All arguments go to the base class, so that the error can be pickled.
        super().__init__(message, code, worker)
        self.message = message
        self.code = code
        self.worker = worker

    def __str__(self) -> str:
        return self.message

    @property
    def may_pass(self) -> bool:
        """Whether another try may succeed. A signal is one of a kernel that ran out of memory, say."""
        return self.code in (DEVICE, STORAGE) or self.code < 0

    @property
    def needs_other_task(self) -> bool:
        """Whether a result of another task is missing or damaged, so that this one cannot succeed before."""
        asks = re.search(r"^ *run gpusort job .*, then this task again$", self.message, re.MULTILINE)
        return self.code == STORAGE and asks is not None
