"""`torch.distributed.tensor.parallel`: modules divided over the ranks of a mesh.
https://pytorch.org/docs/stable/distributed.tensor.parallel.html

A style (`style.py`) says how the parameters of a module lie and how its inputs and outputs do; `parallelize_module`
(`api.py`) applies styles by the names of submodules; `loss_parallel` (`loss.py`) is cross entropy of classes that lie on
several ranks.
"""

from torchlike._base.absent_modules import supply as _supply
from torchlike.distributed.tensor.parallel.api import parallelize_module as parallelize_module
from torchlike.distributed.tensor.parallel.loss import loss_parallel as loss_parallel
from torchlike.distributed.tensor.parallel.style import ColwiseParallel as ColwiseParallel
from torchlike.distributed.tensor.parallel.style import ParallelStyle as ParallelStyle
from torchlike.distributed.tensor.parallel.style import PrepareModuleInput as PrepareModuleInput
from torchlike.distributed.tensor.parallel.style import PrepareModuleInputOutput as PrepareModuleInputOutput
from torchlike.distributed.tensor.parallel.style import PrepareModuleOutput as PrepareModuleOutput
from torchlike.distributed.tensor.parallel.style import RowwiseParallel as RowwiseParallel
from torchlike.distributed.tensor.parallel.style import SequenceParallel as SequenceParallel

_supply()
