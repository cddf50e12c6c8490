"""Functions that look at values, under vmap: what is known of all slices, against torch."""

import pytest

from compat.compare import check
from compat.compare.tolerances import ROWS

LOG_PROBS = "m.log_softmax(m.arange(144).reshape(3, 6, 2, 4).double().sin(), -1)"
PADDED, JOINED = "m.tensor([[1, 2, 3], [3, 2, 1]])", "m.tensor([1, 2, 3, 1])"
LENGTHS, SIZES = "m.tensor([[6, 5], [6, 6], [4, 6]])", "m.tensor([[3, 2], [1, 2], [2, 2]])"
QUANTILES, NUMBERS = "m.tensor([[.1, .5], [.2, .3], [.3, .9]])", "m.tensor([[1., 5.], [2., 3.], [3., 9.]])"
CALLS = {
    "quantile": f"m.vmap(m.quantile)({NUMBERS}, {QUANTILES})",
    "nanquantile": f"m.vmap(m.nanquantile, in_dims=(None, 0))({NUMBERS}, {QUANTILES})",
    "quantile beyond 1": f"m.vmap(m.quantile)({NUMBERS}, {QUANTILES} * 2)",
    "quantile nested": f"m.vmap(m.vmap(lambda q: m.quantile({NUMBERS}, q)))({QUANTILES})",
    "gradient of quantile": f"m.vmap(m.func.grad(lambda x, q: m.quantile(x, q).sum()))({NUMBERS}, {QUANTILES})",
    "ctc": f"m.vmap(lambda l, i, o: m.nn.functional.ctc_loss(l, {PADDED}, i, o))({LOG_PROBS}, {LENGTHS}, {SIZES})",
    "ctc of some lengths": "m.vmap(lambda l, i, o: m.nn.functional.ctc_loss(l, "
                           f"{PADDED}, i, o), in_dims=(None, 0, None))({LOG_PROBS}[0], {LENGTHS}, {SIZES}[0])",
    "ctc of joined targets": f"m.vmap(lambda l, o: m.nn.functional.ctc_loss(l, {JOINED}, {LENGTHS}[0], o))"
                             f"({LOG_PROBS}, m.tensor([[3, 1], [1, 3], [2, 2]]))",
    "ctc of joined targets, not as many": f"m.vmap(lambda l, o: m.nn.functional.ctc_loss(l, {JOINED}, {LENGTHS}[0], o))"
                                          f"({LOG_PROBS}, m.tensor([[3, 1], [1, 3], [2, 1]]))",
    "ctc of too long ones": f"m.vmap(lambda i: m.nn.functional.ctc_loss({LOG_PROBS}[0], {PADDED}, i, {SIZES}[0]))"
                            f"({LENGTHS} * 2)",
}


@pytest.mark.filterwarnings("ignore:There is a performance drop")
@pytest.mark.parametrize("name", CALLS)
def test_values(name):
    check(lambda m: eval(CALLS[name], {"m": m}), tolerance=ROWS, kinds=(RuntimeWarning,))
