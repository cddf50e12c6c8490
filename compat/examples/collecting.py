"""The docstrings of PyTorch's public objects that have examples."""

import doctest
import importlib
import inspect
import pkgutil
import re
import types
import warnings

import torch

from compat.surface import documented

# What torchlike leaves out as a whole, what starts other processes or asks for a terminal or a network, and submodules that
# take long to import.
_MODULES = re.compile(r"_inductor|_dynamo|testing|distributed|\.ao|onnx|jit|cuda|export|fx|_refs|_decomp|__main__|"
                      r"quantization|[ix]pu|mtia|_functorch|_higher|package|_numpy|_vendor|_strobelight|tensorboard|bottleneck|"
                      r"_sympy|hipify|cpp_ext")
_LEFT_OUT = re.compile(r"distributed|init_process_group|cuda|multiprocessing|onnx|hub|xpu|mtia|tensorboard|SummaryWriter|"
                       r"export|torch\.compile|jit|dynamo|rpc|pdb|spawn|quantiz|inductor|set_default_device|input\(")
_PROMPT = re.compile(r">>> ?(.*)")


def examples() -> dict:
    """{name of an object: the sources of its examples, in order}; a text that several have counts for the first."""
    found: dict = {}
    for name, value in _objects():
        text = getattr(value, "__doc__", None)
        if isinstance(text, str) and ">>>" in text:
            found.setdefault(text, name)
    parsed = {name: sources(text) for text, name in found.items()}
    return {name: found for name, found in sorted(parsed.items()) if found and not _LEFT_OUT.search("\n".join(found))}


def sources(text: str) -> list:
    """The statements of the examples in a docstring; the lines with a prompt where these are not lined up."""
    try:
        return [example.source for example in doctest.DocTestParser().get_examples(text)]
    except ValueError:
        return _PROMPT.findall(text)


def _objects():
    for space in documented.SPACES:
        owner = documented.owner(space)
        yield space, owner
        for name in documented.names(space):
            yield from _with_members(f"{space}.{name}", getattr(owner, name, None))
    for module in _modules():
        yield module.__name__, module
        for name, value in vars(module).items():
            if getattr(value, "__module__", None) == module.__name__:
                yield from _with_members(f"{module.__name__}.{name}", value)


def _with_members(name, value):
    yield name, value
    if inspect.isclass(value):
        yield from ((f"{name}.{member}", found) for member, found in inspect.getmembers(value)
                    if not member.startswith("__"))


def _modules():
    for found in pkgutil.walk_packages(torch.__path__, "torch.", onerror=lambda name: None):
        if _MODULES.search(found.name):
            continue
        with warnings.catch_warnings(action="ignore"):
            try:
                module = importlib.import_module(found.name)
            except Exception:  # noqa: BLE001 - it needs what is not here
                continue
        if isinstance(module, types.ModuleType):
            yield module
