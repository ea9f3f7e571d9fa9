"""Times processes, for the benchmarks beside it."""

import os
import subprocess
import sys
import time


# Node 20 reads the certificates that this variable names at each start, in 30 ms for those of Debian.
os.environ.pop("NODE_EXTRA_CA_CERTS", None)


def timed(argv, environment=None, **options):
    """Runs a command to its end: its wall time and CPU time in seconds, and its most memory in MiB."""
    begin = time.perf_counter()
    child = subprocess.Popen(argv, env={**os.environ, **(environment or {})}, **options)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begin
    if status != 0:
        sys.exit(f"failed: {argv}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
