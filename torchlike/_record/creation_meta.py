"""How a differentiable view was made, which decides whether it may be written to.

https://pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd
"""

DEFAULT, MULTI_OUTPUT, NO_GRAD, CUSTOM, INFERENCE = range(5)

_AMBIGUOUS = (" Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
              "moving both the view and the inplace either both inside the {0} block (if you don't want the inplace "
              "to be tracked) or both outside (if you want the inplace to be tracked).")
_REASONS = {
    MULTI_OUTPUT: " This view is the output of a function that returns multiple views. Such functions do not allow "
                  "the output views to be modified inplace. You should replace the inplace operation by an "
                  "out-of-place one.",
    NO_GRAD: _AMBIGUOUS.format("no_grad"),
    INFERENCE: _AMBIGUOUS.format("inference_mode"),
    CUSTOM: " This view was created inside a custom Function (or because an input was returned as-is) and the "
            "autograd logic to handle view+inplace would override the custom backward associated with the custom "
            "Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the "
            "output of the custom Function.",
}


def of_view(before, meta) -> int:
    """How a view made as `meta` of a view made as `before` counts."""
    return before if meta == DEFAULT or before == INFERENCE else meta


def maker(x):
    """(output number, name of its Node) of a tensor with history, None without."""
    edge = x._edge
    return (edge[1], edge[0].short_name()) if edge is not None and len(edge) == 2 else None


def refusal(x, indirect=False) -> RuntimeError:
    """The error for a write to the view `x`; `indirect`: the write was to its base or to another view."""
    meta, made_by = x._view.meta, x._view.made_by or maker(x)
    name = "Output {} of {}".format(*made_by) if made_by is not None else ""
    what = "its base or another view of its base has been" if indirect else "is being"
    made = f"{name} is a view of a view which was created in" if name else "A view was created in"
    if meta == INFERENCE:
        lead = f"{made} inference mode and {what} modified inplace in normal mode."
    elif meta == NO_GRAD or not name:
        lead = f"{made} no_grad mode and {what} modified inplace with grad mode enabled."
    else:
        lead = f"{name} is a view and {what} modified inplace."
    return RuntimeError(lead + _REASONS[meta])
