"""`torch.optim.lr_scheduler`: https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate

`scheduler.py` is the base class: it sets the rates of an optimizer's groups and counts epochs. The schedules are grouped
by form: `factors.py`, `functions.py`, `cosine.py`, `cyclic.py`, `onecycle.py`, `plateau.py`, `optax.py`; `combined.py` runs
several together or one after the other.

A schedule is plain arithmetic in Python floats, in PyTorch's order of operations, and never causes a compilation. It
uses only `Optimizer.param_groups`. Start with `scheduler.py`.
"""

from torchlike.optim.lr_scheduler.combined import ChainedScheduler as ChainedScheduler
from torchlike.optim.lr_scheduler.combined import SequentialLR as SequentialLR
from torchlike.optim.lr_scheduler.cosine import CosineAnnealingLR as CosineAnnealingLR
from torchlike.optim.lr_scheduler.cosine import CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts
from torchlike.optim.lr_scheduler.cyclic import CyclicLR as CyclicLR
from torchlike.optim.lr_scheduler.factors import ConstantLR as ConstantLR
from torchlike.optim.lr_scheduler.factors import ExponentialLR as ExponentialLR
from torchlike.optim.lr_scheduler.factors import LinearLR as LinearLR
from torchlike.optim.lr_scheduler.factors import MultiStepLR as MultiStepLR
from torchlike.optim.lr_scheduler.factors import PolynomialLR as PolynomialLR
from torchlike.optim.lr_scheduler.factors import StepLR as StepLR
from torchlike.optim.lr_scheduler.functions import LambdaLR as LambdaLR
from torchlike.optim.lr_scheduler.functions import MultiplicativeLR as MultiplicativeLR
from torchlike.optim.lr_scheduler.onecycle import OneCycleLR as OneCycleLR
from torchlike.optim.lr_scheduler.optax import OptaxLR as OptaxLR
from torchlike.optim.lr_scheduler.plateau import ReduceLROnPlateau as ReduceLROnPlateau
from torchlike.optim.lr_scheduler.scheduler import EPOCH_DEPRECATION_WARNING as EPOCH_DEPRECATION_WARNING
from torchlike.optim.lr_scheduler.scheduler import LRScheduler as LRScheduler
from torchlike.optim.lr_scheduler.scheduler import _LRScheduler as _LRScheduler
