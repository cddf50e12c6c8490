"""What a process has once and each rank has of its own, where ranks are threads."""

import copy
import os
import random
import sys
import warnings
from collections import OrderedDict
from typing import Any

import numpy as np

from torchlike._base import device
from torchlike._ops import promotion
from torchlike._random import generator
from torchlike.nn.modules import _global_hooks
from torchlike.optim import optimizer

_HOOKS = [found for owner in (_global_hooks, optimizer) for found in vars(owner).values() if isinstance(found, OrderedDict)]
_SWITCHES: list[tuple[Any, str]] = [(device._default, "device"), (device._default, "outer"), (promotion.default, "dtype"),
                                    (generator._gpus, "made"), (generator._gpus, "seed"), (warnings, "filters"),
                                    (warnings, "showwarning"), (warnings, "_showwarnmsg_impl")]


class Own:
    """The state of one rank while others run.

    Args:
        variables: of its environment, beside those of the process.
        arguments: ``sys.argv``.
    """

    def __init__(self, variables: dict[str, str], arguments: list[str]):
        encoded = {os.environ.encodekey(key): os.environ.encodevalue(value) for key, value in variables.items()}
        self._variables = variables
        self._environment = {**os.environ._data, **encoded}
        self._arguments, self._main, self._folder = list(arguments), sys.modules["__main__"], os.getcwd()
        self._random, self._numpy = random.Random().getstate(), np.random.RandomState().get_state()
        self._engine = generator.Generator().engine
        self._switches = [copy.copy(getattr(owner, name)) for owner, name in _SWITCHES]
        self._hooks = [dict(each) for each in _HOOKS]

    def keep(self) -> None:
        """Another rank goes on: keep what the process has."""
        self._environment, self._arguments, self._main = os.environ._data, sys.argv, sys.modules["__main__"]
        self._random, self._numpy, self._folder = random.getstate(), np.random.get_state(), os.getcwd()
        self._switches = [getattr(owner, name) for owner, name in _SWITCHES]
        self._hooks = [dict(each) for each in _HOOKS]

    def put(self) -> None:
        """This rank goes on: put it there."""
        os.environ._data = self._environment
        if hasattr(os, "environb"):
            os.environb._data = self._environment
        if os.getcwd() != self._folder:
            os.chdir(self._folder)
        for key, value in self._variables.items():  # for processes that are started
            os.putenv(key, value)
        sys.argv, sys.modules["__main__"] = self._arguments, self._main
        random.setstate(self._random)
        np.random.set_state(self._numpy)
        generator.default_generator.engine = self._engine
        for (owner, name), kept in zip(_SWITCHES, self._switches, strict=True):
            setattr(owner, name, kept)
        warnings._filters_mutated()  # type: ignore[attr-defined]
        for hooks, of_rank in zip(_HOOKS, self._hooks, strict=True):
            if hooks or of_rank:
                hooks.clear()
                hooks.update(of_rank)
