"""Writing in place: operators, overlap, setitem and out=."""

from tests.programs import same_as_torch

test_programs = same_as_torch("inplace", "setitem")
