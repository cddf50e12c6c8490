"""`torch.__future__`: how `Module.to` and the like put new data into parameters.
https://pytorch.org/docs/stable/future_mod.html
"""

from torchlike._base.errors import UnsupportedError
from torchlike._base.settings import conversions as _conversions


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Sets whether converting a module gives it new parameters, where else the old ones get new data.
    https://pytorch.org/docs/stable/future_mod.html#torch.__future__.set_overwrite_module_params_on_conversion

    Args:
        value: whether it does.
    """
    _conversions.overwrite = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether converting a module gives it new parameters.
    https://pytorch.org/docs/stable/future_mod.html#torch.__future__.get_overwrite_module_params_on_conversion
    """
    return _conversions.overwrite


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Accepted for False: data is put into parameters, never swapped.
    https://pytorch.org/docs/stable/future_mod.html#torch.__future__.set_swap_module_params_on_conversion

    Args:
        value: False.

    Raises:
        UnsupportedError: `value` is true.
    """
    if value:
        raise UnsupportedError("torch.__future__.set_swap_module_params_on_conversion(True) is not supported: parameters "
                               "get new data in place")


def get_swap_module_params_on_conversion() -> bool:
    """False: data is put into parameters, never swapped.
    https://pytorch.org/docs/stable/future_mod.html#torch.__future__.get_swap_module_params_on_conversion
    """
    return False
