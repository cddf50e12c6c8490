"""state_dicts as nested dictionaries of jax arrays."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import torchlike as torch
from torchlike.interop import state_dict_to_tree, tree_to_state_dict


def _model():
    return torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2), torch.nn.Linear(2, 1, dtype=torch.bfloat16))


def test_there_and_back():
    model = _model()
    state = model.state_dict()
    tree = state_dict_to_tree(state)
    assert sorted(tree) == ["0", "1", "2"]
    assert sorted(tree["1"]) == ["bias", "num_batches_tracked", "running_mean", "running_var", "weight"]
    assert all(isinstance(x, jax.Array) for x in jax.tree.leaves(tree))
    assert tree["2"]["weight"].dtype == jnp.bfloat16
    assert tree["1"]["num_batches_tracked"].dtype == np.int64
    again = tree_to_state_dict(tree, state)
    assert list(again) == list(state)
    fresh = _model()
    fresh.load_state_dict(again)
    assert all(torch.equal(a, b) and a.dtype is b.dtype for a, b in
               zip(fresh.state_dict().values(), state.values(), strict=True))
    assert set(tree_to_state_dict(tree)) == set(state)


def test_writes_stay_apart():
    model = torch.nn.Linear(2, 2)
    tree = state_dict_to_tree(model.state_dict())
    before = np.array(tree["weight"])
    with torch.no_grad():
        model.weight.add_(1)
    assert np.array_equal(tree["weight"], before)
    loaded = tree_to_state_dict(tree)
    loaded["weight"].add_(5)
    assert np.array_equal(tree["weight"], before)


def test_steps_delete_no_arrays():
    """An optimizer's step takes the buffers of what it overwrites: not those of arrays that others may have."""
    for _ in range(10):
        model = torch.nn.Linear(2, 2)
        tree = jax.device_put(state_dict_to_tree(model.state_dict()))
        model.load_state_dict(tree_to_state_dict(tree), assign=True)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        assert model.weight.sum().item() != np.sum(tree["weight"])


def test_like_gives_dtypes():
    made = tree_to_state_dict({"w": np.ones(2)}, {"w": torch.zeros(2, dtype=torch.float16)})
    assert made["w"].dtype is torch.float16


@pytest.mark.parametrize(("call", "error", "text"), [
    (lambda: tree_to_state_dict({"a": {"w": jnp.ones(2)}}, {"a.w": torch.ones(2), "a.b": torch.ones(1)}), KeyError,
     r"missing key\(s\): 'a\.b'"),
    (lambda: tree_to_state_dict({"a": {"w": jnp.ones(2)}, "c": jnp.ones(1)}, {"a.w": torch.ones(2)}), KeyError,
     r"unexpected key\(s\): 'c'"),
    (lambda: tree_to_state_dict({"w": jnp.ones(3)}, {"w": torch.ones(2)}), ValueError,
     r"'w' has shape \(3,\) instead of \(2,\)"),
    (lambda: tree_to_state_dict({"a.b": jnp.ones(3)}), ValueError, r"'a\.b' cannot be part of a name"),
    (lambda: tree_to_state_dict({1: jnp.ones(3)}), ValueError, "1 cannot be part of a name"),
    (lambda: state_dict_to_tree({"a": 3}), TypeError, "'a' is no Tensor, but a int"),
    (lambda: state_dict_to_tree({"a": torch.ones(1), "a.b": torch.ones(1)}), ValueError, r"'a\.b' lies below"),
    (lambda: state_dict_to_tree({"a.b": torch.ones(1), "a": torch.ones(1)}), ValueError, "'a' is also the beginning"),
], ids=range(8))
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
