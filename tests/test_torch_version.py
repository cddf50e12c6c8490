"""``torch.__version__`` is compared as a version; against PyTorch."""

import itertools
import operator

import pytest
import torch
from torch.torch_version import TorchVersion

import torchlike

TEXTS = ("2.13.0", "2.13", "2.4", "2.13.0+cpu", "2.14.0rc1", "2.14", "2.13.0.dev2", "2.13.0.post1", "10.0", "1.9.1a2",
         "parrot", "2.13.0+cu130", "2.13.1")
OTHERS = (*TEXTS, (2, 4), (2, 13), [2, 13, 0], (3,))


def compared(version, compare, other):
    try:
        return compare(version, other)
    except TypeError:
        return TypeError


@pytest.mark.parametrize("text", TEXTS)
def test_comparisons(text):
    for other, compare in itertools.product(OTHERS, (operator.eq, operator.lt, operator.le, operator.gt, operator.ge)):
        want, got = (compared(kind(text), compare, other) for kind in (TorchVersion, torchlike.torch_version.TorchVersion))
        assert want is got, (text, compare, other)


def test_the_version():
    assert torchlike.__version__ >= (2, 13)
    assert torchlike.__version__ > "2.4"
    assert isinstance(torchlike.__version__, str)
    assert type(torch.__version__).__name__ == type(torchlike.__version__).__name__
    with pytest.raises(TypeError):
        torchlike.__version__ > 3  # noqa: B015 - it raises
