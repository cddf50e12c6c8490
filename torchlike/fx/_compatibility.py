"""How stable PyTorch's own functions are. https://pytorch.org/docs/stable/fx.html#api-reference"""


def compatibility(is_backward_compatible: bool):
    """A decorator that says whether PyTorch keeps a function as it is.

    Args:
        is_backward_compatible: whether it does.

    Returns:
        A decorator that changes nothing.
    """
    return lambda function: function
