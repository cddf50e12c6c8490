"""`torch.nn.utils`: https://pytorch.org/docs/stable/nn.html#utilities

What is done to modules and their parameters from outside: clipping gradients (`clip_grad.py`), parameters as one vector,
pruning, weight and spectral norm, packed sequences (`rnn.py`), fused batch norms (`fusion.py`).

`parametrize.py` replaces a parameter by a function of others; `parametrizations.py` has the ready ones. `weight_norm.py`
and `spectral_norm.py` are the older forms with hooks, `stateless.py` calls modules with other tensors. All of it builds on
`nn.modules`, which uses only `rnn.py`.
"""

from torchlike.nn.utils import clip_grad as clip_grad
from torchlike.nn.utils import convert_parameters as convert_parameters
from torchlike.nn.utils import parametrizations as parametrizations
from torchlike.nn.utils import parametrize as parametrize
from torchlike.nn.utils import prune as prune
from torchlike.nn.utils import rnn as rnn
from torchlike.nn.utils import stateless as stateless
from torchlike.nn.utils.clip_grad import clip_grad_norm as clip_grad_norm
from torchlike.nn.utils.clip_grad import clip_grad_norm_ as clip_grad_norm_
from torchlike.nn.utils.clip_grad import clip_grad_value_ as clip_grad_value_
from torchlike.nn.utils.clip_grad import clip_grads_with_norm_ as clip_grads_with_norm_
from torchlike.nn.utils.clip_grad import get_total_norm as get_total_norm
from torchlike.nn.utils.convert_parameters import parameters_to_vector as parameters_to_vector
from torchlike.nn.utils.convert_parameters import vector_to_parameters as vector_to_parameters
from torchlike.nn.utils.fusion import fuse_conv_bn_eval as fuse_conv_bn_eval
from torchlike.nn.utils.fusion import fuse_conv_bn_weights as fuse_conv_bn_weights
from torchlike.nn.utils.fusion import fuse_linear_bn_eval as fuse_linear_bn_eval
from torchlike.nn.utils.fusion import fuse_linear_bn_weights as fuse_linear_bn_weights
from torchlike.nn.utils.init import skip_init as skip_init
from torchlike.nn.utils.memory_format import convert_conv2d_weight_memory_format as convert_conv2d_weight_memory_format
from torchlike.nn.utils.memory_format import convert_conv3d_weight_memory_format as convert_conv3d_weight_memory_format
from torchlike.nn.utils.spectral_norm import remove_spectral_norm as remove_spectral_norm
from torchlike.nn.utils.spectral_norm import spectral_norm as spectral_norm
from torchlike.nn.utils.weight_norm import remove_weight_norm as remove_weight_norm
from torchlike.nn.utils.weight_norm import weight_norm as weight_norm
