"""`torch._dynamo`: what packages import of it, compared with PyTorch's where calling it does something."""

import pytest
import torch
import torch._dynamo  # PyTorch does not with torch
import torch._dynamo._trace_wrapped_higher_order_op as theirs

import torchlike
from torchlike._dynamo import _trace_wrapped_higher_order_op as ours
from torchlike._dynamo import config, exc

BOTH = (torch, torchlike)
NAMES = [name for name in vars(torchlike._dynamo) if not name.startswith("_")]


@pytest.mark.parametrize("name", [
    name for name in NAMES if name not in ("config", "exc", "eval_frame", "decorators", "switches")])
def test_names_are_pytorchs(name):
    assert hasattr(torch._dynamo, name) or hasattr(torch._dynamo.exc, name)


def test_marks_change_nothing():
    for lib in BOTH:
        x, d = lib.ones(2, 3), lib._dynamo
        assert d.mark_dynamic(x, 0) is d.mark_static(x) is d.maybe_mark_dynamic(x, [0]) is d.mark_static_address(x) is None
        assert d.allow_in_graph(abs) is abs and d.is_compiling() is False and d.is_dynamo_supported() is True
        with pytest.raises(TypeError, match="mark_static_address expects a tensor but received <class 'int'>"):
            d.mark_static_address(1)


def test_config_is_kept():
    for lib in BOTH:
        c = lib._dynamo.config
        before = c.capture_scalar_outputs
        with c.patch(capture_scalar_outputs=True):
            assert c.capture_scalar_outputs
        with c.patch("recompile_limit", 3):
            assert c.recompile_limit == 3
        assert (c.capture_scalar_outputs, c.recompile_limit) == (before, 8)
        with pytest.raises(AttributeError), c.patch(novelty=3):
            pass


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", [name for name, value in vars(config).items() if isinstance(value, int)])
def test_defaults(name):
    assert getattr(config, name) == getattr(torch._dynamo.config, name)


def test_errors_have_the_same_bases():
    for name in [name for name in vars(exc) if isinstance(getattr(exc, name), type)]:
        found = [base.__name__ for base in getattr(torch._dynamo.exc, name).__mro__]
        own = [base.__name__ for base in getattr(exc, name).__mro__]
        assert own == [base for base in found if base in own]


def test_subscripts_under_vmap():
    for lib, module in ((torch, theirs), (torchlike, ours)):
        table = lib.arange(10) * 2
        with module.TransformGetItemToIndex():
            assert lib.vmap(lambda i, table=table: table[i])(lib.arange(4)).tolist() == [0, 2, 4, 6]
