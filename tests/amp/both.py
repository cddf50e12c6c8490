"""One program under both libraries: results, and what it warns of or raises."""

import re
import warnings

import numpy as np
import torch

import torchlike

NO_KERNEL = "could not create a primitive"
ROUGH = 0.03  # of bfloat16: sums differ by some of its steps
PACKAGES = (torch, torchlike)


def plain(value):
    """What can be compared: tensors as (dtype, values, Node), dtypes by name."""
    if isinstance(value, torch.Tensor | torchlike.Tensor):
        node = None if value.grad_fn is None else value.grad_fn.name()
        return str(value.dtype), np.array(value.detach().cpu().double().tolist()), node
    if isinstance(value, dict):
        return {key: plain(x) for key, x in value.items()}
    if isinstance(value, list | tuple):
        return [plain(x) for x in value]
    return str(value) if isinstance(value, torch.dtype | torchlike.dtype) else value


def outcome(program, package, *args):
    """(result or error, warnings) of ``program(package, ...)``."""
    package.manual_seed(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = plain(program(package, *args))
        except Exception as error:  # noqa: BLE001 - whatever it raises is the result
            if NO_KERNEL in str(error) and torch.backends.mkldnn.enabled:  # this CPU lacks what oneDNN wants
                with torch.backends.mkldnn.flags(enabled=False):
                    return outcome(program, package, *args)
            result = f"{type(error).__name__}: {error}"
    return result, [(w.category.__name__, re.sub(r" \(Triggered.*\)", "", str(w.message))) for w in caught
                    if "oneDNN" not in str(w.message) and "torch.jit.script" not in str(w.message)]


def same(want, got) -> bool:
    """Whether two results agree, values as far as bfloat16 goes."""
    if isinstance(want, np.ndarray):
        scale = float(np.abs(want[np.isfinite(want)]).max(initial=0))
        return want.shape == got.shape and np.allclose(want, got, ROUGH, ROUGH * scale, equal_nan=True)
    if isinstance(want, list | tuple):
        return len(want) == len(got) and all(map(same, want, got))
    if isinstance(want, dict):
        return want.keys() == got.keys() and all(same(want[key], got[key]) for key in want)
    return want == got


def check(program, *args):
    """AssertionError unless both libraries do the same."""
    want, got = (outcome(program, package, *args) for package in PACKAGES)
    assert same(want[0], got[0]), "\n".join(different(want[0], got[0]))
    assert want[1] == got[1], f"{want[1]}, ours {got[1]}"


def different(want, got, where="") -> list:
    """What differs, each with its place."""
    if isinstance(want, list | tuple) and isinstance(got, list | tuple) and len(want) == len(got):
        return [text for i, (a, b) in enumerate(zip(want, got, strict=True)) for text in different(a, b, f"{where}[{i}]")]
    return [] if same(want, got) else [f"{where}: {want}, ours {got}"]


def tensor(package, *shape, seed=0, dtype="float32", grad=False):
    """The same numbers in both libraries."""
    values = np.random.default_rng(seed).standard_normal(shape)
    made = package.tensor(values.tolist(), dtype=getattr(package, dtype))
    return made.requires_grad_(grad)


def module(package, make):
    """``make(package.nn)`` with the same parameters in both libraries."""
    made = make(package.nn)
    with package.no_grad():
        for i, p in enumerate(made.parameters()):
            p.copy_(tensor(package, *p.shape, seed=i) * 0.3)
    return made


def graph(x, depth=6) -> str:
    """The Nodes behind `x`, written out."""
    def of(node, left):
        if node is None or not left:
            return "-"
        return f"{node.name().rpartition('::')[2]}({','.join(of(n, left - 1) for n, _ in node.next_functions)})"

    return of(x.grad_fn, depth)


def nodes(x) -> list:
    """The names of all Nodes behind `x`, each once, sorted."""
    seen, stack = set(), [x.grad_fn]
    names = []
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        names.append(node.name().rpartition("::")[2])
        stack.extend(n for n, _ in node.next_functions)
    return sorted(names)
