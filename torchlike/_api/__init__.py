"""The torch namespace, Tensor's methods, and the functions behind `torch.nn.functional`.

`generated` is text that ``python -m compat.api`` writes from the operator table: functions by chapter of PyTorch's
documentation, each row under its own name (`generated.ops`), and lists of where each public name is from
(`generated.torch_names`, `generated.methods`). Functions that a row alone does not say are written by hand in the modules
beside it, by chapter too, listed in `families`. A name has one owner: the command raises where it would have two, and so
does the import of a list that does not fit.

Modules here import the recorder, autograd and what is below; `nn`, `optim`, `distributions` and the rest of the package
import `torchlike._api` for its functions. Start with `generated/pointwise.py`, then `pointwise.py`.
"""

from torchlike._api import attach as _attach  # noqa: F401 - puts the methods on Tensor
from torchlike._api.generated.nn_names import *  # noqa: F403
from torchlike._api.generated.space_names import *  # noqa: F403
from torchlike._api.generated.torch_names import *  # noqa: F403
from torchlike._api.generated.torch_names import __all__ as __all__
