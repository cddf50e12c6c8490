"""``ops``: every row as a function with the row's own signature (``max.dim`` is ``ops.max_dim``)."""

import types

from torchlike._api.generate import plain_face
from torchlike._ops.all import ROWS

ops = types.SimpleNamespace(**{row.name.replace(".", "_"): plain_face(row) for row in ROWS.values()})
