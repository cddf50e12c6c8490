"""`torch.classes`: classes that C++ libraries register. There are none, and each that is asked for says so."""

from torchlike.ops import load_library as load_library
from torchlike.ops import loaded_libraries as loaded_libraries


class _ClassNamespace:
    """The classes of a library: none.

    Args:
        name: that of the library.
    """

    def __init__(self, name: str):
        self.name = name

    def __getattr__(self, name):
        raise RuntimeError(f"Tried to instantiate class '{self.name}.{name}', but it does not exist! Ensure that it is "
                           "registered via torch::class_")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.classes' has no attribute '{name}'")
    return _ClassNamespace(name)
