"""Matrix functions of the API layer, against torch."""

import pytest

from compat.compare import check
from compat.compare.tolerances import ROWS

MATRICES = [(3, 3), (3, 2), (2, 3, 3), (1, 3, 2), (2, 1, 3, 2)]
RIGHT = [(3,), (3, 2), (2, 3), (2, 3, 2), (3, 3, 2), (1, 3, 2), (2, 1, 3, 2), (2, 1, 3), (5, 2, 3, 2)]


@pytest.mark.parametrize("driver", ["gels", "gelsd"])
@pytest.mark.parametrize("shape", MATRICES, ids=str)
def test_batches_of_lstsq(shape, driver):
    """PyTorch counts as many sizes of the right side as batches as the matrices have, even where it has fewer."""
    def solved(m, right):
        matrices, sides = (m.arange(120.0, dtype=m.float64)[:count].reshape(s).sin() + 0.1
                           for s, count in ((shape, m.Size(shape).numel()), (right, m.Size(right).numel())))
        return tuple(m.linalg.lstsq(matrices, sides.cos(), driver=driver))

    for right in RIGHT:
        check(solved, right, tolerance=ROWS, where=str(right))
