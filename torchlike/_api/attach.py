"""Puts the faces together: what the torch namespace, Tensor and nn.functional offer.

Every row gives a function, a method and an in-place method under its name; the hand-written families
(FUNCTIONS, METHODS, NN of each module) come after and replace where they are the fuller form.
"""

import typing

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
from torchlike.autograd import anomaly_mode, engine, hooks

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
    engine,
)


class Faces(typing.NamedTuple):
    """Public functions by name: of the torch namespace, of Tensor, and those that are in neither (nn.functional)."""

    functions: dict
    methods: dict
    nn: dict


def faces_of(row) -> Faces:
    """What a row is called by; of a private row its in-place functions only."""
    found = Faces({}, {}, {})
    for name in () if row.is_private else (row.face, *row.aliases):
        (found.functions if row.function else found.nn)[name] = function_face(row)
        if name.startswith("special_"):
            continue
        if row.method:
            found.methods[name] = plain_face(row)
        if row.inplace and row.view is None:
            (found.methods if row.method else found.nn)[f"{name}_"] = inplace_face(row)
    for name in row.inplace_functions:
        found.functions[name] = inplace_face(row)
    return found


def table_faces() -> Faces:
    """The faces of all rows. Of several overloads the first counts; the families have faces for all together."""
    made = Faces({}, {}, {})
    for row in ROWS.values():
        for known, new in zip(made, faces_of(row), strict=True):
            for name, face in new.items():
                known[name] = known.get(name, face) if row.overload else face
    return made


def collect():
    """(functions, methods, properties, nn functions)."""
    functions, methods, nn = table_faces()
    properties: dict = {}
    for family in FAMILIES:
        functions.update(getattr(family, "FUNCTIONS", {}))
        methods.update(getattr(family, "METHODS", {}))
        properties.update(getattr(family, "PROPERTIES", {}))
        nn.update(getattr(family, "NN", {}))
    for row in ROWS.values():
        functions.update({name: methods[name] for name in row.inplace_functions if name in methods})
    functions["detach_"] = methods["detach_"]
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
