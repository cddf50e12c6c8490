"""torchlike behind the face that checks see: what a learner's engine is compared with. Tests put PyTorch there, too."""

import functools
import importlib
import re
import warnings

import numpy as np

from torchlike._course import runner


class Library(runner.Face):
    """The same questions as `runner.Face` answers, asked of torchlike or torch."""

    def __init__(self, package="torchlike"):
        super().__init__(importlib.import_module(package))
        self.package = package

    def numbers(self, tensor):
        return np.array(tensor.detach().numpy(), dtype=np.float64)

    def tensor(self, data, requires_grad=False):
        return self.engine.tensor(data, dtype=self.engine.float64, requires_grad=requires_grad)

    def overwrite(self, tensor, value):
        with self.engine.no_grad():
            tensor.fill_(value)

    def node_name(self, node):
        return type(node).__name__

    def nexts(self, node):
        return [to for to, _ in node.next_functions if to is not None]

    def count(self, tensor):
        return len(self._reachable(tensor))

    def saved_hooks(self, pack, unpack):
        return self.engine.autograd.graph.saved_tensors_hooks(pack, unpack)

    def checkpoint(self, f, *inputs):
        return importlib.import_module(f"{self.package}.utils.checkpoint").checkpoint(f, *inputs, use_reentrant=False)

    def vjp(self, f, *inputs):
        return self.engine.func.vjp(f, *inputs)

    def jvp(self, f, inputs, tangents):
        return self.engine.func.jvp(f, tuple(inputs), tuple(tangents))

    def grad(self, f):
        return self.engine.func.grad(f)

    def trace(self, f, *examples):
        """The function itself: on other inputs, it does what its program should do."""
        f(*examples)
        return _Function(f, examples)

    def differentiate(self, program):
        def gradients(*inputs):
            out, pullback = self.engine.func.vjp(program, *inputs)
            return pullback(self.engine.ones_like(out))
        return _Function(gradients, program.examples)

    def operators(self, program):
        """Those in the graph of what the function gives."""
        examples = [x.detach().requires_grad_() for x in program.examples]
        names = [self.node_name(node) for node in self._reachable(program(*examples))]
        found = [re.sub(r"Backward\d*$", "", name).lower() for name in names if name != "AccumulateGrad"]
        return sorted({"mm": "matmul"}.get(name, name) for name in found)

    def lines(self, program):
        return len(self.operators(program)) + 1

    def _reachable(self, tensor):
        found = {tensor.grad_fn: None}
        waiting = list(found)
        while waiting:
            new = [node for node in self.nexts(waiting.pop()) if node not in found]
            found.update(dict.fromkeys(new))
            waiting.extend(dict.fromkeys(new))
        return found


class _Function:
    def __init__(self, f, examples):
        self.f, self.examples = f, examples

    def __call__(self, *inputs):
        return self.f(*inputs)


@functools.cache
def expected(step: int, name: str, package: str = "torchlike") -> dict:
    """What a check shows on torchlike, run just now."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of .grad of what is no leaf, which checks ask for on purpose
        found = runner.observed(Library(package), runner.checks(step)[name], "")
    if found["raised"]:
        raise RuntimeError(f"the check {name} of step {step} fails on {package}: {found['raised']}")
    return found
