"""`torch.utils`: https://pytorch.org/docs/stable/utils.html

`data/` has DataLoader, data sets and samplers. `checkpoint.py` trades compute for memory; its machinery is in
`_recompute.py`, `_selective.py` and `_checkpoint_texts.py`. `dlpack.py` exchanges arrays with other libraries.

`tensorboard/`, `benchmark/` and `collect_env.py` are imported by those who use them. `weak.py` has dictionaries by
identity, `deterministic.py` a switch. `_pytree.py`, `_foreach_utils.py` and `_python_dispatch.py` are private in PyTorch
too, but packages use them. Nothing in `nn` or below imports this package. Start with `checkpoint.py`.
"""

from torchlike.utils import _python_dispatch as _python_dispatch
from torchlike.utils import checkpoint as checkpoint
from torchlike.utils import data as data
from torchlike.utils import deterministic as deterministic
from torchlike.utils import dlpack as dlpack
from torchlike.utils import hooks as hooks
from torchlike.utils import weak as weak
from torchlike.utils._set_module import set_module as set_module
from torchlike.utils._swap import swap_tensors as swap_tensors
