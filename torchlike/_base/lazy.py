"""Packages of others that few programs need: each is imported when something of it is first used."""

import importlib
from typing import TYPE_CHECKING


class Lazy:
    """Stands for a module.

    Args:
        name: the module's full name.
    """

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, name: str):
        return getattr(importlib.import_module(self._name), name)


if TYPE_CHECKING:
    import optax as optax
    import rich.console as rich_console
    import rich.progress as rich_progress
else:
    optax = Lazy("optax")
    rich_console, rich_progress = Lazy("rich.console"), Lazy("rich.progress")
