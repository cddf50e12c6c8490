"""PyTorch's parser of arguments: signatures, what fits them, and the words for what does not."""

import pytest
import torch

import torchlike
from compat.forms import wrong
from torchlike._record.signatures import complaint, parsed

PATHS = str.split("""sin add sub addmm mul sum mean max squeeze transpose where clamp arange zeros ones full cat stack chunk
    linspace normal bernoulli gather index_add topk sort cumsum matmul conv2d bmm einsum pow lerp round nan_to_num var roll
    linalg.norm linalg.inv linalg.svd linalg.qr special.xlogy special.zeta fft.fft fft.fftn
    Tensor.add Tensor.sum Tensor.view Tensor.permute Tensor.expand Tensor.mul_ Tensor.clamp_ Tensor.cos Tensor.float
    Tensor.unsqueeze Tensor.index_add_ Tensor.all Tensor.argmax Tensor.masked_fill""")


@pytest.mark.parametrize("path", PATHS)
def test_words(path):
    for name in wrong.calls(torch, path):
        want = wrong.outcome(torch, path, name)
        args, kwargs = wrong.calls(torchlike, path)[name]
        _, error = complaint(f"torch.{path}", args[path.startswith("Tensor."):], kwargs)
        if error is None:
            assert want.kind != "TypeError" or "must be" not in want.text, name
        else:
            assert (name, want.kind) == (name, "TypeError")
            assert want.text == str(error), name


def test_a_signature_is_shown_as_pytorch_shows_it():
    line = "max(Tensor input, int64_t dim, bool keepdim=False, *, TensorList[2] out=None)"
    assert str(parsed(line)) == "(Tensor input, int dim, bool keepdim = False, *, tuple of Tensors out = None)"


def test_what_has_no_signature_has_no_complaint():
    assert complaint("torch.no_such_function", (1,), {}) == (False, None)
