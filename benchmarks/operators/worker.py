"""Some rows under one library in this process; prints one JSON object for each. Started by benchmarks/operators."""

import argparse
import importlib
import json
import warnings
from collections.abc import Callable

import numpy as np

from benchmarks import timer
from benchmarks.operators import inputs

WARM_LEAST, WARM_MOST = 0.05, 20.0


def main() -> None:
    """Measure each expression that standard input names, one JSON object a line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("library", choices=("torch", "torchlike"))
    parser.add_argument("--seconds", type=float, default=0.2)
    options = parser.parse_args()
    library = importlib.import_module(options.library)
    warnings.simplefilter("ignore")  # deprecated functions have rows, too
    for text in json.loads(input()):
        print(json.dumps(measured(library, text, options.seconds)), flush=True)


def measured(library, text: str, seconds: float) -> dict:
    """Seconds a call, and a call with its backward pass (None if nothing is differentiable), or an "error"."""
    code = compile(text, text, "eval")
    functional = importlib.import_module(f"{library.__name__}.nn.functional")
    names = [name for name in code.co_names if name in inputs.names()]

    def bound(needs_grad) -> dict:
        tensors = {name: library.from_numpy(np.array(inputs.make(name))) for name in names}
        for tensor in tensors.values():
            tensor.requires_grad_(needs_grad and (tensor.is_floating_point() or tensor.is_complex()))
        return {"torch": library, "F": functional, **tensors}

    try:
        plain = bound(False)
        forward = _time(library, lambda: eval(code, plain), seconds)
        return {"forward": forward, "both": _backward_time(library, code, bound(True), seconds)}
    except Exception as error:  # noqa: BLE001 - a row that fails is a line of the table
        return {"error": f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}"[:200]}


def _backward_time(library, code, scope, seconds) -> float | None:
    leaves = [x for x in scope.values() if isinstance(x, library.Tensor) and x.requires_grad]

    def outputs() -> list:
        return [x for x in _tensors(library, eval(code, scope)) if x.requires_grad]

    found = outputs()
    if not found:
        return None
    ones = [library.ones_like(x) for x in found]

    def step():
        return library.autograd.grad(outputs(), leaves, ones, allow_unused=True)

    try:
        step()
    except (NotImplementedError, RuntimeError) as error:
        if "derivative" not in str(error):
            raise
        return None
    return _time(library, step, seconds)


def _tensors(library, value) -> list:
    if isinstance(value, library.Tensor):
        return [value]
    return [t for each in value for t in _tensors(library, each)] if isinstance(value, tuple | list) else []


def _time(library, step: Callable, seconds: float) -> float:
    def look(result) -> None:
        for tensor in _tensors(library, result):
            if library.__name__ != "torch":  # torch has computed it by now
                tensor.detach().resolve_conj().numpy()

    if library.__name__ == "torch":
        timer.warm_up(step, look, lambda: None, WARM_LEAST, WARM_MOST)
    else:
        with timer.hurried(library):
            timer.warm_up(step, look, timer.compiling(library), 4 * WARM_LEAST, WARM_MOST)
    return timer.measure(step, look, True, seconds).seconds


if __name__ == "__main__":
    main()
