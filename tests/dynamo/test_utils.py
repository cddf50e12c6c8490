"""`torch._dynamo.utils`, and names of `torch._C` that packages use."""

import sys
import warnings

import torchlike
from torchlike._dynamo import config
from torchlike._dynamo.utils import disable_cache_limit, warn_once


def test_warn_once():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for text in ("first", "second", "first"):
            warn_once(text)
    assert [str(w.message) for w in told] == ["first", "second"]
    assert told[0].filename == __file__


def test_names_of_c():
    assert torchlike._C.Generator is torchlike.Generator
    assert torchlike._C._LinAlgError is torchlike.linalg.LinAlgError


def test_limits_of_compilation_are_lifted_for_a_block():
    before = config.recompile_limit
    with disable_cache_limit():
        assert config.recompile_limit == config.accumulated_recompile_limit == sys.maxsize
    assert config.recompile_limit == before == 8
