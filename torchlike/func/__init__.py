"""`torch.func`: transforms of functions. https://pytorch.org/docs/stable/func.html

`_transforms.py` has the derivatives (`grad`, `vjp`, `jvp`, `jacrev`, `jacfwd`, `hessian`, `linearize`), `_vmap.py` has
`vmap`, `_modules.py` calls modules with given parameters, and `_interop.py` exchanges functions with JAX (`torch.to_jax`,
`torch.from_jax`). `_rearrange.py` names dimensions, `_wrappers.py` looks behind transforms.

Each transform runs the user's function on the recorder with a handler in place, and all of them nest. What such a
handler is stands in `torchlike._modes`. Start with `_transforms.py`.
"""

from torchlike.func._modules import functional_call as functional_call
from torchlike.func._modules import functionalize as functionalize
from torchlike.func._modules import replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_
from torchlike.func._modules import stack_module_state as stack_module_state
from torchlike.func._rearrange import rearrange as rearrange
from torchlike.func._transforms import grad as grad
from torchlike.func._transforms import grad_and_value as grad_and_value
from torchlike.func._transforms import hessian as hessian
from torchlike.func._transforms import jacfwd as jacfwd
from torchlike.func._transforms import jacrev as jacrev
from torchlike.func._transforms import jvp as jvp
from torchlike.func._transforms import linearize as linearize
from torchlike.func._transforms import vjp as vjp
from torchlike.func._vmap import vmap as vmap
from torchlike.func._wrappers import debug_unwrap as debug_unwrap
