"""`torch._check` and its kind, compared with PyTorch's."""

import warnings

import pytest
import torch

import torchlike

CALLS = (
    "_check(True)", "_check(False)", "_check(1)", "_check(None)", "_check(torch.tensor(True))", "_check(False, lambda: 'm')",
    "_check(False, 'm')", "_check(True, 'm')", "_check(False, lambda: 3)", "_check_with(KeyError, False, lambda: 'm')",
    "_check_value(False)", "_check_value(False, lambda: 'x')", "_check_value(True)", "_check_index(False)",
    "_check_type(False)", "_check_not_implemented(False)", "_check_is_size(-1)", "_check_is_size(1)",
    "_check_is_size(5, max=3)", "_check_is_size(2, max=3)", "_check_tensor_all(torch.tensor([True, False]))",
    "_check_tensor_all(torch.tensor([True]))", "_check_tensor_all(torch.tensor([True, False]), lambda: 'm')",
    "_check_tensor_all(torch.tensor([1]))", "_check_tensor_all(False)",
    "_check_tensor_all_with(IndexError, torch.tensor([False]), lambda: 'm')",
    "_assert(True, 'a')", "_assert(False, 'a')", "_assert(torch.tensor(False), 'a')", "_assert(torch.tensor(True), 'a')",
    "_assert([], 'a')",
)


def outcome(lib, call):
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            value = eval(f"torch.{call}", {"torch": lib})
        except Exception as error:  # noqa: BLE001 - compared
            value = type(error), str(error)
    return value, [(w.category, str(w.message)) for w in given]


@pytest.mark.parametrize("call", CALLS)
def test_as_torch(call):
    assert outcome(torchlike, call) == outcome(torch, call)


def test_assert_can_be_taken_over():
    class Taker:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__, len(args)

    assert torchlike._assert(Taker(), "a") == ("_assert", 2) == torch._assert(Taker(), "a")
