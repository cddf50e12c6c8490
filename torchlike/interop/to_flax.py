"""A Module of torchlike as a module of flax nnx."""

from collections import OrderedDict

import jax
import numpy as np
from flax import nnx

from torchlike import nn
from torchlike._record.facade import own_work
from torchlike._record.leaf import leaf, to_jax
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike.func._interop import to_jax as pure
from torchlike.func._modules import functional_call
from torchlike.interop.samplers import KeySource

_NO_KEYS = "ToNNX: the module draws random numbers: give it rngs, as in ToNNX(module, rngs=nnx.Rngs(dropout=0))"


class _Part(nnx.Module):
    """A place in the tree of names: Variables, and Parts below."""


class ToNNX(nnx.Module):
    """A torchlike Module as a module of flax nnx: for `nnx.jit`, `nnx.grad`, `nnx.Optimizer` and the rest.
    https://flax.readthedocs.io/en/stable/api_reference/flax.nnx/module.html

    Its Variables lie below ``module``, in the places that the names of the state_dict say (``model.module.fc.weight``):
    `nnx.Param` for parameters, plain `nnx.Variable` for those that require no gradient, `nnx.BatchStat` for buffers. They
    are copies; 64 bits become 32 as in all of JAX, unless jax_enable_x64 is set. The Module itself gives the code only.

    A call takes what ``forward`` takes, with jax arrays (numpy's too) in the places of Tensors, and returns jax arrays.
    What ``forward`` writes to buffers becomes their value. ``model.train()`` and ``model.eval()`` set ``deterministic``,
    and where it differs from the Module's own mode all of its parts run in that mode. Random numbers, as dropout's, are not
    PyTorch's, but new ones in each call, under `nnx.jit` too.

    Args:
        module: the Module.
        rngs: random numbers are drawn from its stream "dropout", or its default one. A call that draws raises RuntimeError
            without it, and UnsupportedError for others than uniform, normal, exponential and Bernoulli ones and integers.
    """

    def __init__(self, module: nn.Module, *, rngs: nnx.Rngs | None = None):
        self.code = _Code(module)
        self.deterministic = not module.training
        self.rngs = rngs
        self.module = _Part()
        for name, p in module.named_parameters():
            _put(self.module, name, (nnx.Param if p.requires_grad else nnx.Variable)(_array(p)))
        for name, b in module.named_buffers():
            _put(self.module, name, nnx.BatchStat(_array(b)))

    def __call__(self, *args, **kwargs):
        """The output of the Module's ``forward``."""
        args, kwargs = jax.tree.map(lambda x: jax.numpy.asarray(x) if isinstance(x, np.ndarray) else x, (args, kwargs))
        arrays = {f"module.{name}": _get(self.module, name)[...] for name in self.code.names}
        source = KeySource(self._next_key)

        def run(tensors, args, kwargs):
            state.thread.frames[-1].source = source
            with self.code.mode(not self.deterministic):
                return functional_call(self.code.reading, tensors, args, kwargs)

        output, buffers = pure(run)(arrays, args, kwargs)
        for name, array in buffers.items():
            variable = _get(self.module, name)
            variable[...] = array.astype(variable[...].dtype)
        return output

    def _next_key(self):
        if self.rngs is None:
            raise RuntimeError(_NO_KEYS)
        return self.rngs.dropout()

    def state_dict(self) -> OrderedDict:
        """The values as Tensors, by the names of the Module: for its `load_state_dict`. Tied ones under each name."""
        made = OrderedDict()
        with own_work():
            for name, like in self.code.module.state_dict(keep_vars=True).items():
                if not isinstance(like, Tensor):
                    made[name] = like
                    continue
                values = np.asarray(_get(self.module, self.code.first_names.get(id(like), name))[...])
                made[name] = leaf(values).to(device=like.device, dtype=like.dtype)
        return made


class _Code:
    """The Module that gives the code: an attribute that is equal to itself only, and static to JAX."""

    def __init__(self, module):
        self.module, self.reading = module, _Reading(module)
        found = [*module.named_parameters(), *module.named_buffers()]
        self.names = [name for name, _ in found]
        self.first_names = {id(x): name for name, x in found}

    def mode(self, training):
        """A context in which the Module is in this mode, unless it is already."""
        return _Mode(self.module, training)


class _Mode:
    def __init__(self, module, training):
        self.changed = [] if module.training == training else [(m, m.training) for m in module.modules()]
        self.training = training

    def __enter__(self):
        for module, _ in self.changed:
            module.training = self.training

    def __exit__(self, *error):
        for module, before in self.changed:
            module.training = before


class _Reading(nn.Module):
    """Returns with the output what the buffers are by then."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, *args, **kwargs):
        output = self.module(*args, **kwargs)
        return output, dict(self.module.named_buffers())


def _array(x):
    array = to_jax(x)
    return jax.numpy.array(array, dtype=jax.dtypes.canonicalize_dtype(array.dtype), copy=True)


def _put(part, name, variable) -> None:
    *parents, last = name.split(".")
    for parent in parents:
        if not isinstance(getattr(part, parent, None), _Part):
            setattr(part, parent, _Part())
        part = getattr(part, parent)
    setattr(part, last, variable)


def _get(part, name):
    for key in name.split("."):
        part = getattr(part, key)
    return part
