"""Sort files and dask arrays on the workers of a Dask cluster, by the command `gpusort job`."""

from gpusort_dask.errors import GpusortError
from gpusort_dask.sort import sort
from gpusort_dask.sort_array import sort_array
from gpusort_dask.sorted_files import Part, SortedFiles

__all__ = ["GpusortError", "Part", "SortedFiles", "sort", "sort_array"]
