"""Becomes a command that ends when its parent does: ends_with_parent.py PARENT COMMAND [WORD...]

A worker that is killed cannot end its child. The kernel of Linux can: it sends SIGTERM to a process when its
parent is gone. Python could set this between fork and exec, which may hang where there are threads; so this
script sets it for itself, and then becomes the command.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, *command = sys.argv[1:]
    if ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0) != 0:
        sys.exit("gpusort: prctl does not work here; gpusort_dask runs on Linux only")
    if os.getppid() != int(parent):
        sys.exit("gpusort: the worker ended")
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(
            f"gpusort: {command[0]} cannot be started: {error.strerror}\n"
            "  install gpusort on every worker, or name its command by command= or in the variable GPUSORT",
            file=sys.stderr,
        )
        sys.exit(127)


if __name__ == "__main__":
    main()
