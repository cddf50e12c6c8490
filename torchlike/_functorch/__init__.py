"""`functorch`, the package in which `torch.func` was before, and `torch._functorch`: the transforms under their old names.

`torch.func` has all of them. What has no successor there, such as the modules of ``make_functional``, refuses when it
is called, and so does what PyTorch's own ``vmap`` is made of (`_base/absent_modules.py`).

`install.py` makes ``import functorch`` give this package. Nothing inside torchlike imports it.
https://pytorch.org/docs/stable/func.migrating.html
"""

from torchlike._base import absent
from torchlike._base.errors import UnsupportedError
from torchlike.func import functionalize as functionalize
from torchlike.func import grad as grad
from torchlike.func import grad_and_value as grad_and_value
from torchlike.func import hessian as hessian
from torchlike.func import jacfwd as jacfwd
from torchlike.func import jacrev as jacrev
from torchlike.func import jvp as jvp
from torchlike.func import vjp as vjp
from torchlike.func import vmap as vmap

_SUCCESSORS = {
    "FunctionalModule": "functional_call", "FunctionalModuleWithBuffers": "functional_call",
    "make_functional": "functional_call", "make_functional_with_buffers": "functional_call",
    "combine_state_for_ensemble": "stack_module_state",
}


def _refusing(name: str):
    text = f"functorch.{name} is not supported: use torch.func.{_SUCCESSORS[name]}"
    make = absent.uninstantiable if name[0].isupper() else absent.failing
    return make(name, "functorch", UnsupportedError, text)


FunctionalModule, FunctionalModuleWithBuffers = _refusing("FunctionalModule"), _refusing("FunctionalModuleWithBuffers")
make_functional, make_functional_with_buffers = _refusing("make_functional"), _refusing("make_functional_with_buffers")
combine_state_for_ensemble = _refusing("combine_state_for_ensemble")
