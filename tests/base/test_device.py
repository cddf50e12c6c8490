"""`torch.device` of what programs and files give it, against torch."""

import numpy as np
import pytest
import torch

import torchlike

GIVEN = [("cpu",), ("cuda", 1), ("cuda", None), (b"cuda", 1), ("cuda", np.int64(2)), ("cuda", 1.0), ("cuda", "1"),
         ("cuda", (1,)), ("cuda", True), ("cuda", -1), ("cuda", 2**63), ("cuda:1", 1), ("cuda:00",), ("cuda:01",),
         ("cuda:-1",), ("cuda:",),
         ("cuda:\N{ARABIC-INDIC DIGIT THREE}",), ("cuda:99999999999",), ("",), ("x",), (1, 2), (1, None), (True,), (1.0,),
         (None,), (-1,), ("cuda", 1, 1), ()]


def outcome(library, given):
    try:
        return repr(library.device(*given))
    except Exception as error:  # noqa: BLE001 - compared
        text = str(error).partition("\n")[0]
        return type(error).__name__, "" if "combination" in text or isinstance(error, TypeError) else text


@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_given(given):
    assert outcome(torchlike, given) == outcome(torch, given)


def test_a_device_and_an_index():
    for library in (torch, torchlike):
        with pytest.raises(TypeError, match="argument 'type'"):
            library.device(library.device("cpu"), 1)
        assert library.device(library.device("cpu")) == library.device("cpu")
        assert str(library.device("cuda", library.tensor(1))) == "cuda:1"


def test_indices_are_ints():
    """An index that equals one that was given before is not taken for it."""
    for index in (np.int64(71), 71):
        assert type(torchlike.device("cuda", index).index) is int
