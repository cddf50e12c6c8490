"""Containers that keep the graphs of many results alive: ``losses.append(loss)`` where ``loss.item()`` was meant.

Looked for among all objects of the garbage collector, when somebody asks.
"""

import collections
import gc
import sys
import types
from typing import NamedTuple

from torchlike._record.tensor import Tensor
from torchlike.autograd.function import BackwardCFunction
from torchlike.autograd.node import Node
from torchlike.autograd.reachable import reachable

_FEW = 3  # separate graphs: fewer are no habit
_CONTAINERS = (list, dict, collections.deque, tuple, set)
_DEPTH = 3  # containers in containers that a name is found for


class Forgotten(NamedTuple):
    """A container of results whose graphs have nothing in common but their leaves, such as the losses of many steps.

    Args:
        name: the variable or attribute that holds it, as far as it can be found: ``losses``, ``trainer.history['loss']``.
        count: how many results with a history are in it.
        bytes: what their graphs keep alive for backward.
        file, line, function: where the last of them was made; None where it is not known.
    """

    name: str
    count: int
    bytes: int
    file: str | None
    line: int | None
    function: str | None


def instances(objects: list, cls: type) -> list:
    """Those of this class. Their types are asked: `isinstance` calls what proxies say is their class."""
    return [x for x in objects if issubclass(type(x), cls)]


def nodes_among(objects: list) -> list:
    """The Nodes of the graph. A ctx is none, though it looks like one to users: its Node holds it."""
    return [x for x in instances(objects, Node) if not isinstance(x, BackwardCFunction)]


def containers(objects: list) -> list:
    """(container, its Tensors that one line made) of each among the objects that keeps several separate graphs."""
    internal = {id(node.saved) for node in nodes_among(objects)}
    found = []
    for candidate in objects:
        if type(candidate) not in _CONTAINERS or len(candidate) < _FEW or id(candidate) in internal:
            continue
        by_line: dict = {}
        for x in instances(list(candidate.values() if type(candidate) is dict else candidate), Tensor):
            if x._edge is not None and len(x._edge) == 2:
                by_line.setdefault(x._edge[0].site, []).append(x)
        found += [(candidate, tensors) for tensors in by_line.values()
                  if len(tensors) >= _FEW and _separate(tensors) >= _FEW]
    return found


def _separate(tensors) -> int:
    """How many of the graphs have no Node but leaves in common with one before them."""
    seen: set = set()
    count = 0
    for x in tensors:
        own = {node for node in reachable([x._edge[0]]) if not node.is_leaf}
        count += seen.isdisjoint(own)
        seen |= own
    return count


def name_of(container, depth=_DEPTH) -> str:
    """The variable or attribute that holds a container, or what it is."""
    return _variable(container) or _attribute(container, depth) or f"a {type(container).__name__}"


def _variable(value) -> str | None:
    """Its name in a function that runs, or in a module."""
    for frame in sys._current_frames().values():
        while frame is not None:
            if frame.f_globals.get("__name__", "").split(".")[0] != __name__.split(".")[0]:
                for name, held in list(frame.f_locals.items()):
                    if held is value:
                        return name
            frame = frame.f_back
    for module in list(sys.modules.values()):
        for name, held in list(vars(module).items()) if isinstance(module, types.ModuleType) else ():
            if held is value:
                return f"{module.__name__}.{name}"
    return None


def _attribute(value, depth) -> str | None:
    """Its name as an attribute, or as an element of another container."""
    if not depth:
        return None
    for holder in gc.get_referrers(value):
        if type(holder) is dict:
            owner = next((x for x in gc.get_referrers(holder) if _attributes(x) is holder), None)
            if owner is not None:
                return f"{_variable(owner) or type(owner).__name__}.{_key(holder, value)}"
            name = _variable(holder) or _attribute(holder, depth - 1)
            if name is not None:
                return f"{name}[{_key(holder, value)!r}]"
        elif not isinstance(holder, types.FrameType | types.ModuleType):
            key = _key(_attributes(holder), value)
            if key is not None:
                return f"{_variable(holder) or type(holder).__name__}.{key}"
    return None


def _attributes(x) -> dict:
    """The attributes of an object, without asking it."""
    try:
        return object.__getattribute__(x, "__dict__")
    except AttributeError:
        return {}


def _key(dictionary, value):
    return next((key for key, held in list(dictionary.items()) if held is value), None)
