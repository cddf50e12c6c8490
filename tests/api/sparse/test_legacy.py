"""``torch.sparse.FloatTensor`` and its like: what they make, what `isinstance` says, errors."""

import pytest
import torch

import torchlike

EXPRESSIONS = (
    "S.FloatTensor(i, v, t.Size([2, 3]))", "S.FloatTensor(i, v)", "S.FloatTensor(2, 3)", "S.FloatTensor()",
    "S.FloatTensor(t.Size([2, 3]))", "S.LongTensor(i, v)", "S.FloatTensor(i, v.double())", "S.FloatTensor(i, v, [2, 3])",
    "S.FloatTensor([1, 2])", "S.FloatTensor(v)", "S.FloatTensor(t.ones(2).to_sparse())", "S.FloatTensor('a')",
    "S.FloatTensor(i, v, t.Size([2, 3]), device='cpu')", "S.FloatTensor(i.int(), v)", "S.FloatTensor(v, i)",
    "S.FloatTensor(indices=i, values=v, size=t.Size([2, 3]))", "S.FloatTensor(t.zeros(1, 3, dtype=t.long), v)",
    "isinstance(t.ones(2).to_sparse(), S.FloatTensor)", "isinstance(t.ones(2), S.FloatTensor)",
    "isinstance(t.ones(2).to_sparse(), t.FloatTensor)", "t.ones(2).to_sparse().type(S.DoubleTensor)",
    "t.ones(2).to_sparse().type('torch.sparse.DoubleTensor')", "S.FloatTensor.layout", "t.FloatTensor.layout",
    "S.FloatTensor.is_sparse, t.FloatTensor.is_sparse, S.FloatTensor.dtype",
    "S.FloatTensor(i, v, t.Size([2, 3])).to_dense() @ t.ones(3)",
)


def told(t, expression) -> str:
    names = {"t": t, "S": t.sparse, "i": t.tensor([[0, 1], [1, 0]]), "v": t.tensor([1.0, 2.0])}
    try:
        return repr(eval(expression, names))
    except Exception as error:  # noqa: BLE001 - whatever it is, both raise it
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.filterwarnings("ignore")
def test_as_in_torch(expression):
    assert told(torchlike, expression) == told(torch, expression)
