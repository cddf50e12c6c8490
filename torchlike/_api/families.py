"""The modules whose functions are written by hand, because a row alone does not say them: all that is imported here.

Each has some of: FUNCTIONS (of the torch namespace), METHODS and PROPERTIES (of Tensor), CLASS (a class with methods of
Tensor), NN (behind `torch.nn.functional` alone). ``python -m compat.api`` reads them and says where each public name is
from; a name that two of them have, or one of them and a row, is an error there and at import (`attach`).
"""

# ruff: noqa: F401 - the imports are the list

import sys
from types import ModuleType

from torchlike._api import (
    activation,
    apply,
    attention,
    attributes,
    complex_numbers,
    convolution,
    creation,
    ctc,
    decompositions,
    diagonals,
    differences,
    dropout,
    einsum,
    embedding,
    flipping,
    foreach,
    from_data,
    gathering,
    grids,
    grouped,
    histograms,
    joining,
    legacy,
    legacy_storages,
    linalg,
    linear,
    losses,
    lowrank,
    normalization,
    operators,
    padding,
    pointwise,
    pooling,
    positions,
    properties,
    python_values,
    random,
    ranges,
    reduce,
    removed,
    sampling,
    scaled,
    scattering,
    searching,
    segments,
    several_ints,
    shapes,
    sorting,
    spectral,
    stft,
    subclasses,
    subscripts,
    tensor_copies,
    typed_storages,
    unique,
    view_copies,
    vision,
    windows,
    writing,
)
from torchlike._api.sparse import construct, conversions, elementwise, parts, products, reductions, reshaping
from torchlike.autograd import anomaly_mode, engine, hooks

FAMILIES = tuple(each for each in tuple(vars(sys.modules[__name__]).values())
                 if isinstance(each, ModuleType) and each is not sys)


class _Empty:
    """What Python writes into every class: from 3.13 on, the line it begins at, too."""


def own_names(cls) -> list:
    """The names that a class of methods gives to Tensor."""
    return [name for name, value in vars(cls).items() if name not in vars(_Empty) and value is not None]
