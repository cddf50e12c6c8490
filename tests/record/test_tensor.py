"""What users put on Tensors, compared with torch."""

import copy
import pickle

import pytest
import torch

import torchlike
from torchlike._record.tensor import OWN_ATTRIBUTES, all_attributes

PROGRAMS = [
    "x.__dict__", "vars(x) == {'a': 1, 'b': [2]}", "'a' in x.__dict__, 'c' in x.__dict__, len(x.__dict__)",
    "sorted(x.__dict__)",
    "x.__dict__.copy()", "{**x.__dict__}", "x.__dict__.pop('a'), hasattr(x, 'a')", "x.__dict__.get('c')",
    "x.__dict__.update(c=3), x.c", "x.__dict__.__delitem__('a'), hasattr(x, 'a')", "copy.deepcopy(x.__dict__)",
    "copy.copy(x.__dict__)['b'] is x.b", "setattr(x, '__dict__', {'c': 3}), x.c, hasattr(x, 'a'), x.sum()",
    "copy.copy(x).b is x.b", "copy.deepcopy(x).b", "pickle.loads(pickle.dumps(x)).b", "bool(t.ones(1).__dict__)",
    "t.nn.Parameter(x, **t.nn.Parameter(x).__dict__)",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_in_torch(program):
    found = []
    for t in (torch, torchlike):
        x = t.ones(2)
        x.a, x.b = 1, [2]
        found.append(str(eval(program, {"t": t, "x": x, "copy": copy, "pickle": pickle})))
    assert found[1] == found[0]


def test_state_is_not_shown():
    x = torchlike.ones(2, requires_grad=True)
    x.mine = 1
    (x * 2).sum().backward()
    assert set(all_attributes(x)) > {"mine", "_cell"}
    assert not set(OWN_ATTRIBUTES) & set(x.__dict__)
    with pytest.raises(KeyError):
        _ = x.__dict__["_cell"]
