"""`torch.optim`: https://pytorch.org/docs/stable/optim.html"""

from torchlike.optim.adam import Adam as Adam
from torchlike.optim.adamw import AdamW as AdamW
from torchlike.optim.optimizer import Optimizer as Optimizer
from torchlike.optim.sgd import SGD as SGD
