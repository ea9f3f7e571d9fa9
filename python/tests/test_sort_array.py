"""What sort_array refuses and writes; test_cluster.py sorts arrays."""

import os
import re

import dask.array as da
import numpy as np
import pytest

from gpusort_dask import sort_array
from gpusort_dask.sort_array import _load, _spill


@pytest.mark.parametrize(
    ("dtype", "way"),
    [("?", "x.astype('u1')"), ("g", "x.astype('f8')"), ("M8[s]", "x.view('i8')"), ("c16", "convert")],
)
def test_a_type_that_gpusort_does_not_sort_names_the_way_out(dtype, way):
    with pytest.raises(
        TypeError, match=f"the array holds {re.escape(np.dtype(dtype).name)}.*{re.escape(way)}"
    ):
        sort_array(da.zeros(3, dtype=dtype), folder="nowhere")


def test_more_dimensions_than_one_are_refused():
    with pytest.raises(ValueError, match="2 dimensions.*ravel"):
        sort_array(da.zeros((2, 2)), folder="nowhere")


def test_what_is_no_dask_array_is_refused():
    with pytest.raises(TypeError, match=r"x is a ndarray, .*da.from_array\(x\)"):
        sort_array(np.arange(3), folder="/nowhere")


def test_a_mask_is_not_dropped():
    masked = da.ma.masked_equal(da.from_array(np.array([3, 1, 2, 1]), chunks=2), 1)
    with pytest.raises(TypeError, match="masked.*da.ma.filled"):
        sort_array(masked, folder="/nowhere")


def test_options_of_files_are_none_of_arrays():
    with pytest.raises(TypeError, match=r"sort_array\(\) has no option 'record'"):
        sort_array(da.zeros(2), folder="nowhere", record=4)


def test_it_needs_a_client():
    with pytest.raises(ValueError, match="no Dask client"):
        sort_array(da.zeros(2), folder="nowhere")


def test_a_block_is_written_once_and_whole(tmp_path):
    path = str(tmp_path / "blocks" / "0.npy")
    _spill(np.array([3, 1, 2], ">u4"), path)
    before = os.stat(path)
    _spill(np.array([9, 9, 9], ">u4"), path)
    assert os.stat(path) == before
    assert os.listdir(tmp_path / "blocks") == ["0.npy"]
    block = np.load(path)
    assert (block.tolist(), block.dtype) == ([3, 1, 2], np.dtype("u4"))


def test_a_sorted_file_that_was_changed_is_found_out(tmp_path):
    path = str(tmp_path / "0.npy")
    np.save(path, np.arange(3))
    assert _load(path, 3).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="was changed"):
        _load(path, 4)
