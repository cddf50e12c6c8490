"""The modules whose functions are written by hand, because a row alone does not say them.

Each has some of: FUNCTIONS (of the torch namespace), METHODS and PROPERTIES (of Tensor), CLASS (a class with methods of
Tensor), NN (behind `torch.nn.functional` alone). ``python -m compat.api`` reads them; a name that two of them have, or one
of them and a row, is an error there.
"""

from torchlike._api import (
    activation,
    attributes,
    creation,
    ctc,
    decompositions,
    einsum,
    elementwise,
    embedbag,
    foreach,
    from_data,
    joining,
    legacy,
    linalg,
    lowrank,
    nnlayers,
    nnops,
    numeric,
    operators,
    pointwise,
    properties,
    python_values,
    random,
    reduce,
    sampling,
    scan,
    selecting,
    shapes,
    spectral,
    stft,
    storages,
    subclasses,
    subscripts,
    tensor_copies,
    unique,
    view_copies,
    writing,
)
from torchlike.autograd import anomaly_mode, engine, hooks

FAMILIES = (
    activation,
    attributes,
    view_copies,
    tensor_copies,
    creation,
    from_data,
    subscripts,
    joining,
    legacy,
    linalg,
    decompositions,
    lowrank,
    einsum,
    ctc,
    embedbag,
    nnlayers,
    nnops,
    operators,
    pointwise,
    properties,
    elementwise,
    random,
    reduce,
    sampling,
    scan,
    selecting,
    shapes,
    numeric,
    spectral,
    stft,
    unique,
    python_values,
    writing,
    foreach,
    storages,
    subclasses,
    anomaly_mode,
    hooks,
    engine,
)


def own_names(cls) -> list:
    """The names that a class of methods gives to Tensor."""
    return [name for name, value in vars(cls).items()
            if name not in ("__dict__", "__doc__", "__module__", "__qualname__", "__weakref__") and value is not None]
