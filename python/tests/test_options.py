import numpy
import pytest

from gpusort_dask.options import Options, plan_words, require_known, size_words, task_words, whole_number
from gpusort_dask.sort import sort

OPTIONS = {
    "descending": True,
    "unique": False,
    "record": 100,
    "key": ["0:10", "12:u32"],
    "header": None,
    "byte_order": "big",
    "device": "-odd",
    "temp_dir": "/fast",
}


def test_options_become_words_of_the_plan_or_of_a_task():
    keys = ["--key=0:10", "--key=12:u32"]
    assert plan_words(OPTIONS) == ["--reverse", "--record=100", *keys, "--byte-order=big"]
    assert task_words(OPTIONS) == ["--device=-odd", "--temp-dir=/fast"]
    assert plan_words({"key": "4:u64"}) == ["--key=4:u64"]


def test_a_number_is_a_size_in_bytes():
    assert size_words("--memory", 4096) == ["--memory", "4096b"]
    assert size_words("--memory", "50%") == ["--memory", "50%"]
    assert size_words("--memory", None) == []
    assert size_words("--memory", numpy.int64(4096)) == ["--memory", "4096b"]
    with pytest.raises(TypeError, match="run_size is 1000000.0: give a whole number of bytes, or text"):
        size_words("--run-size", 1e6)


def test_a_switch_is_true_or_false():
    assert plan_words({"descending": numpy.True_, "unique": numpy.False_, "header": False}) == ["--reverse"]
    with pytest.raises(TypeError, match="header is 'no': give True or False"):
        plan_words({"header": "no"})


def test_a_number_of_retries_is_whole():
    assert whole_number("retries", numpy.int8(2)) == 2
    with pytest.raises(TypeError, match="retries is '3': give a whole number"):
        sort("in", "out", retries="3")


@pytest.mark.parametrize(
    ("typed", "meant"), [("decending", "descending"), ("temp_folder", "temp_dir"), ("output_", "output")]
)
def test_an_unknown_option_names_the_near_one(typed, meant):
    with pytest.raises(TypeError, match=f"'{typed}'; did you mean '{meant}'"):
        require_known({"unique": True, typed: 1}, "sort", ["output"], Options.__annotations__)


def test_an_option_near_to_none_names_all():
    with pytest.raises(TypeError, match="'xyzzy'; its options are .*unique.*compress"):
        require_known({"xyzzy": 1}, "sort", [], Options.__annotations__)
