"""`torch.optim`: https://pytorch.org/docs/stable/optim.html

One file for each optimizer, under PyTorch's names. `optimizer.py` is the base class with groups, state and hooks;
`rules.py` has the update rules as functions of jax arrays; `rule_optimizer.py` and `group_step.py` record one step of a
whole parameter group as a single instruction, so that it is compiled together with the backward pass.

`lr_scheduler/` changes the rates, `swa_utils.py` averages weights, `optax.py` runs any transformation of optax.
Only programs and the torch namespace import this package. Start with `optimizer.py`, then `sgd.py`.
"""

from torchlike.optim import lr_scheduler as lr_scheduler
from torchlike.optim import swa_utils as swa_utils
from torchlike.optim.adadelta import Adadelta as Adadelta
from torchlike.optim.adafactor import Adafactor as Adafactor
from torchlike.optim.adagrad import Adagrad as Adagrad
from torchlike.optim.adam import Adam as Adam
from torchlike.optim.adamax import Adamax as Adamax
from torchlike.optim.adamw import AdamW as AdamW
from torchlike.optim.asgd import ASGD as ASGD
from torchlike.optim.lbfgs import LBFGS as LBFGS
from torchlike.optim.muon import Muon as Muon
from torchlike.optim.nadam import NAdam as NAdam
from torchlike.optim.optax import Optax as Optax
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.radam import RAdam as RAdam
from torchlike.optim.rmsprop import RMSprop as RMSprop
from torchlike.optim.rprop import Rprop as Rprop
from torchlike.optim.sgd import SGD as SGD
from torchlike.optim.sparse_adam import SparseAdam as SparseAdam
from torchlike.optim.swap import swap_in_optimizer_params_and_state as swap_in_optimizer_params_and_state
