"""The parameters of a running program: whose they are, and what the optimizer keeps for each."""

import gc
from collections.abc import Iterable, Iterator

from torchlike._base.errors import UnsupportedError
from torchlike._base.settings import strided
from torchlike._explain.forgotten import instances
from torchlike._plan.facts import ROOT, Parameter
from torchlike._record.tensor import Tensor
from torchlike.nn.modules.container import ModuleList, Sequential
from torchlike.nn.modules.module import Module
from torchlike.optim.optimizer import Optimizer


class Model:
    """The modules that optimizers train.

    ``parameters``: (name, Tensor, unit) of each parameter, once; ``units``: {module: the name of its block}, in order.

    Args:
        optimizers: those that take steps.
        called: modules that have been called: the garbage collector does not know those that it was told to leave alone.

    Raises:
        UnsupportedError: a parameter is no plain tensor.
    """

    def __init__(self, optimizers: Iterable[Optimizer], called: Iterable[Module]):
        trained = [p for optimizer in optimizers for group in optimizer.param_groups for p in group["params"]]
        self.roots = _roots({id(p): place for place, p in enumerate(trained)}, called)
        self.units: dict[Module, str] = {}
        self._prefixes = [f"{type(root).__name__} {place}." if len(self.roots) > 1 else ""
                          for place, root in enumerate(self.roots)]
        for root, prefix in zip(self.roots, self._prefixes, strict=True):
            self._find_units(root, prefix)
        self.parameters = [*self._named(trained)]
        self.places = {id(x): place for place, (_, x, _) in enumerate(self.parameters)}

    def _find_units(self, module, prefix) -> None:
        """The blocks: what lists and sequences of modules consist of, the outermost ones."""
        for name, child in module.named_children():
            path = f"{prefix}{name}"
            if isinstance(module, ModuleList | Sequential) and any(True for _ in child.parameters()):
                self.units.setdefault(child, path)
            else:
                self._find_units(child, f"{path}.")

    def _named(self, trained) -> Iterator[tuple[str, Tensor, str]]:
        seen: set[int] = set()
        inside = {id(p): unit for module, unit in self.units.items() for p in module.parameters()}
        named = [(f"{prefix}{name}", p) for root, prefix in zip(self.roots, self._prefixes, strict=True)
                 for name, p in root.named_parameters()]
        for name, p in [*named, *((f"parameter {i}", p) for i, p in enumerate(trained))]:
            if id(p) not in seen:
                seen.add(id(p))
                if p._cell.handler is not None or p._cell.layout is not strided:
                    raise UnsupportedError(f"planning a model with parameters that are no plain tensors: {name}")
                yield name, p, inside.get(id(p), ROOT)

    def buffers(self) -> list[Tensor]:
        """The buffers of the modules, each once."""
        return [*{id(x): x for root in self.roots for x in root.buffers()}.values()]

    def facts(self, optimizers: Iterable[Optimizer]) -> list[Parameter]:
        """What there is of each parameter now.

        Args:
            optimizers: whose states are looked at.
        """
        listed = list(optimizers)
        return [_fact(name, p, unit, listed) for name, p, unit in self.parameters]


def _roots(trained: dict, called) -> list[Module]:
    """The outermost modules that have one of these parameters, {id: place}, in the order of these."""
    modules = {id(module): module for module in (*called, *instances(gc.get_objects(), Module))}
    having = [m for m in modules.values() if any(id(p) in trained for p in m.parameters())]
    inner = {id(child) for module in having for child in module.modules() if child is not module}
    outer = [module for module in having if id(module) not in inner]
    return sorted(outer, key=lambda module: min(trained.get(id(p), len(trained)) for p in module.parameters()))


def states_of(p: Tensor, optimizers: Iterable[Optimizer]) -> Iterator[Tensor]:
    """What optimizers keep for a parameter.

    Args:
        p: the parameter.
        optimizers: the optimizers.

    Yields:
        each tensor.
    """
    for optimizer in optimizers:
        for x in optimizer.state.get(p, {}).values():
            if isinstance(x, Tensor):
                yield x


def bytes_of(x: Tensor) -> int:
    """Of the memory that a tensor shows."""
    return x.numel() * x.dtype.itemsize


def _fact(name, p, unit, optimizers) -> Parameter:
    states = list(states_of(p, optimizers))
    moments = sum(bytes_of(x) for x in states if x.shape == p.shape)
    scalars = sum(bytes_of(x) for x in states if x.shape != p.shape)
    gradient = 0 if p._grad is None else bytes_of(p._grad)
    return Parameter(name, unit, tuple(p.shape), bytes_of(p), gradient, moments, scalars, p.dtype.name)
