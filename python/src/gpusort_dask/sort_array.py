"""Sorts dask arrays."""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dask.delayed import delayed
from distributed import Client

from gpusort_dask.options import TaskOptions, require_known, whole_number
from gpusort_dask.sort import Path, current_client, parameters_of, sort

if TYPE_CHECKING:
    import dask.array as da
    import numpy as np
    from typing_extensions import Unpack


class ArrayOptions(TaskOptions, total=False):
    """How to sort an array."""

    #: NaNs come first then, as in np.sort(x)[::-1].
    descending: bool
    #: Keep only the first of equal numbers. All NaNs are equal; -0 and +0 are not.
    unique: bool


def sort_array(
    x: da.Array,
    *,
    folder: Path,
    client: Client | None = None,
    parts: int | None = None,
    command: Sequence[str] | None = None,
    memory: int | str | None = None,
    run_size: int | str | None = None,
    retries: int = 3,
    resources: Mapping[str, float] | None = None,
    **options: Unpack[ArrayOptions],
) -> da.Array:
    """Sorts a one-dimensional dask array, as np.sort does: NaNs come last. All -0 come before +0.

    The array is computed and written block by block, sorted, and given back as an array that reads the sorted
    files. So it need not fit in the memory of the workers. It is sorted when the function returns.

    Args:
        x: an array of integers of 8 to 64 bits, or of floats of 16 to 64; its chunks may be unknown.
        folder: where the files go, which all workers see at the same path. The blocks and the runs, each as
            large as the array, are removed at the end. The sorted files stay, in a folder of their own in it:
            remove that when the result is no longer needed.
        parts: number of chunks of the result. Default: as many as `x` has.
        client, command, memory, run_size, retries, resources, options: as for `sort`.

    Returns:
        an array of the same type, in the byte order of the machine, with known chunks.

    Raises:
        TypeError: `x` is no dask array, or is masked; gpusort does not sort numbers of this type; or an option
            does not exist.
        ValueError: the array has more dimensions than one; or there is no client.
        GpusortError: gpusort failed.
    """
    require_known(options, "sort_array", parameters_of(sort_array), ArrayOptions.__annotations__)
    _require_sortable(x)
    retries = whole_number("retries", retries)
    client = client or current_client()
    token = uuid.uuid4().hex[:8]
    base = os.path.join(os.path.abspath(os.fspath(folder)), f"gpusort-{token}")
    if set(base) & set("*?[]{}"):
        raise ValueError(f"gpusort would read the folder {base} as a pattern; name one without *?[]{{}}")
    blocks, job, output = (os.path.join(base, name) for name in ("blocks", "job", "sorted"))
    is_sorted = False
    try:
        _spill_all(x, blocks, client, token, retries)
        found = sort(
            os.path.join(blocks, "*.npy"),
            output,
            client=client,
            parts=x.numblocks[0] if parts is None else parts,
            job=job,
            command=command,
            memory=memory,
            run_size=run_size,
            retries=retries,
            resources=resources,
            **options,
        )
        is_sorted = True
    finally:
        if client.status == "running":
            done = [blocks, job] if is_sorted else [base]
            client.submit(_remove, done, key=f"gpusort-remove-{token}", pure=False).result()
    return _array_of([(part.path, part.items) for part in found.parts], x.dtype.newbyteorder("="), token)


def _require_sortable(x: da.Array) -> None:
    import dask.array as da
    import numpy as np

    if not isinstance(x, da.Array):
        raise TypeError(f"x is a {type(x).__name__}, and sort_array sorts a dask array: use da.from_array(x)")
    if isinstance(x._meta, np.ma.MaskedArray):
        raise TypeError("the array is masked, and files hold no mask: use da.ma.filled(x, value)")
    if x.ndim != 1:
        raise ValueError(f"the array has {x.ndim} dimensions, and sort_array sorts one: use x.ravel()")
    kind, size = x.dtype.kind, x.dtype.itemsize
    if kind in "iu" or (kind == "f" and size <= 8):
        return
    ways = {
        "b": "use x.astype('u1')",
        "M": "use x.view('i8'), where NaT is the least number",
        "m": "use x.view('i8'), where NaT is the least number",
        "f": "use x.astype('f8')",
    }
    way = ways.get(kind, "convert it to one of these, or sort it as a column of a DataFrame")
    raise TypeError(
        f"gpusort sorts integers of 8 to 64 bits and floats of 16 to 64, and the array holds {x.dtype}: {way}"
    )


def _spill_all(x: da.Array, folder: str, client: Client, token: str, retries: int) -> None:
    digits = len(str(x.numblocks[0]))
    spill = delayed(_spill)
    spilled = [
        spill(
            block,
            os.path.join(folder, f"{index:0{digits}}.npy"),
            dask_key_name=f"gpusort-spill-{index}-{token}",
        )
        for index, block in enumerate(x.to_delayed().ravel())
    ]
    client.gather(client.compute(spilled, retries=retries))


def _spill(block: np.ndarray[Any, Any], path: str) -> None:
    """Writes a block to a file, which appears complete or not at all. It never replaces a file that is there:
    a worker that was taken to be lost would change the input of a job by that."""
    import numpy as np

    folder, name = os.path.split(path)
    os.makedirs(folder, exist_ok=True)
    if os.path.exists(path):
        return
    hidden = os.path.join(folder, f".{name}.{uuid.uuid4().hex}")
    try:
        with open(hidden, "xb") as file:
            np.save(file, np.asarray(block, dtype=block.dtype.newbyteorder("=")))
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(hidden, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(hidden)


def _remove(folders: Sequence[str]) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _array_of(parts: Sequence[tuple[str, int]], dtype: np.dtype[Any], token: str) -> da.Array:
    import dask.array as da
    from dask.highlevelgraph import HighLevelGraph

    name = f"gpusort-load-{token}"
    layer = {(name, index): (_load, path, items) for index, (path, items) in enumerate(parts)}
    graph = HighLevelGraph.from_collections(name, layer, dependencies=[])
    return da.Array(graph, name, chunks=(tuple(items for _, items in parts),), dtype=dtype)


def _load(path: str, items: int) -> np.ndarray[Any, Any]:
    import numpy as np

    block: np.ndarray[Any, Any] = np.load(path)
    if block.shape != (items,):
        raise ValueError(f"{path} was changed: it holds {block.shape}, and the sort wrote {items} numbers")
    return block
