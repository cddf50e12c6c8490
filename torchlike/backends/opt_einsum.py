"""`torch.backends.opt_einsum`: the order of products in `einsum`, which JAX chooses.
https://pytorch.org/docs/stable/backends.html#module-torch.backends.opt_einsum

``enabled`` and ``strategy`` can be set, without effect.
"""

__all__ = ["enabled", "get_opt_einsum", "is_available", "strategy"]
enabled = False
strategy = None


def is_available() -> bool:
    """False: it is JAX that uses the package opt_einsum.
    https://pytorch.org/docs/stable/backends.html#torch.backends.opt_einsum.is_available
    """
    return False


def get_opt_einsum() -> None:
    """None: as where the package opt_einsum is not installed.
    https://pytorch.org/docs/stable/backends.html#torch.backends.opt_einsum.get_opt_einsum
    """
