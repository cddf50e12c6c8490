"""Writing in place: operators, overlap, setitem and out=."""

import pytest

import torchlike
from compat.compare import check
from compat.compare.tolerances import EXACT
from tests.programs import same_as_torch

test_programs = same_as_torch("inplace", "setitem")


RESIZED = {  # (what holds the memory, what it is resized to, how many elements there are)
    "none left": (lambda c: c, 0), "fewer": (lambda c: c, 3), "as many": (lambda c: c, 6),
    "a view to fewer": (lambda c: c[0], 1), "a view to more": (lambda c: c[0], 5),
    "a diagonal": (lambda c: c.diagonal(), 3), "a later row": (lambda c: c[1], 1),
}


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
@pytest.mark.parametrize("name", RESIZED)
@pytest.mark.parametrize("is_base", [True, False])
def test_out_of_another_shape_keeps_its_memory(name, is_base):
    def facts(m):
        choose, count = RESIZED[name]
        c = m.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]) if is_base else m.arange(6.0).reshape(2, 3)
        seen, out = c.t(), choose(c)
        m.neg(m.ones(count) + 7, out=out)
        out.add_(0)
        return out, out.shape, out.stride(), out.storage_offset(), c, seen, out._version > 0

    check(facts, tolerance=EXACT)


@pytest.mark.parametrize("write", ["v.mul_(2)", "v.add_(v)", "v.exp_()", "v[[0]] = 5.", "v.cumsum_(0)"])
def test_writes_that_read_overlapping_elements_are_refused(write):
    x = torchlike.arange(5.)
    with pytest.raises(torchlike.UnsupportedError, match="overlap"):
        exec(write, {"v": x.as_strided((2, 2), (1, 1))})
    exec(write, {"v": x.as_strided((2, 2), (1, 2))})
