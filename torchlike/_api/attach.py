"""Puts the faces together: what the torch namespace, Tensor and nn.functional offer.

Every row gives a function, a method and an in-place method under its name; the hand-written families
(FUNCTIONS, METHODS, NN of each module) come after and replace where they are the fuller form.
"""

from torchlike._api import (
    activation,
    attributes,
    copies,
    copying,
    creation,
    ctc,
    decompositions,
    einsum,
    elementwise,
    embedbag,
    foreach,
    from_data,
    index,
    joining,
    legacy,
    linalg,
    lowrank,
    nnlayers,
    nnops,
    numeric,
    operators,
    pointwise,
    random,
    reduce,
    sampling,
    scan,
    selecting,
    shapes,
    stft,
    storages,
    subclasses,
    unique,
    values,
    writing,
)
from torchlike._api.generate import function_face, inplace_face, plain_face
from torchlike._ops.all import ROWS
from torchlike._record.tensor import Tensor
from torchlike._record.torch_function import copied
from torchlike.autograd import anomaly_mode, hooks, tensor_methods

FAMILIES = (
    activation,
    attributes,
    copies,
    copying,
    creation,
    from_data,
    index,
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
    elementwise,
    random,
    reduce,
    sampling,
    scan,
    selecting,
    shapes,
    numeric,
    stft,
    unique,
    values,
    writing,
    foreach,
    storages,
    subclasses,
    anomaly_mode,
    hooks,
    tensor_methods,
)


def table_faces():
    """(functions, methods) of all rows whose name is not private."""
    functions, methods = {}, {}
    for row in ROWS.values():
        name = row.face
        if name.startswith("_"):
            continue
        overload = "." in row.name
        if row.function and not (overload and name in functions):
            functions[name] = function_face(row)
        if row.method and not (overload and name in methods):
            methods[name] = plain_face(row)
        if row.inplace and row.view is None and not (overload and name + "_" in methods):
            methods[name + "_"] = inplace_face(row)
            functions.setdefault(name + "_", methods[name + "_"])
    return functions, methods


def collect():
    """(functions, methods, properties, nn functions)."""
    functions, methods = table_faces()
    properties: dict = {}
    nn = {row.face: function_face(row) for row in ROWS.values() if not row.function and not row.face.startswith("_")}
    for family in FAMILIES:
        functions.update(getattr(family, "FUNCTIONS", {}))
        methods.update(getattr(family, "METHODS", {}))
        properties.update(getattr(family, "PROPERTIES", {}))
        nn.update(getattr(family, "NN", {}))
    for name in ("detach_", "fill_", "resize_as_", "zero_"):  # methods that are functions of the torch namespace too
        functions[name] = methods[name]
    # ``torch.add`` and ``torch.Tensor.add`` differ, as keys of dictionaries.
    shared = {id(function) for function in functions.values()}
    methods = {name: copied(method) if id(method) in shared else method for name, method in methods.items()}
    return functions, methods, properties, nn


def attach(methods, properties) -> None:
    """Put methods and properties on Tensor."""
    for name, method in {**methods, **properties}.items():
        setattr(Tensor, name, method)


FUNCTIONS, METHODS, PROPERTIES, NN = collect()
attach(METHODS, PROPERTIES)
