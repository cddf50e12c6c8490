"""In-place forms whose Node is not that of the operation out of place."""

from torchlike._ops.table import node_name
from torchlike._record.node import Node, node_class


def _refusing(name, error):
    """A Node class whose backward raises."""

    def backward(self, grads):
        raise error

    return type(name, (Node,), {"__slots__": (), "__module__": "torch.autograd.graph", "backward": backward,
                                "replayable": False})


# By row. PyTorch has no formula for some of them, which shows in backward only.
CLASSES = {
    "_fill": node_class("FillBackward2"), "_fill_tensor": node_class("FillBackward3"),
    **{name: node_class(node_name(name)[:-1] + "1") for name in ("celu", "conj_physical", "elu", "leaky_relu",
                                                            "rrelu_with_noise", "threshold")},
    **{name: _refusing(f"{name.capitalize()}Backward1", NotImplementedError(
        f"the derivative for 'inplace version of {name}' is not implemented.")) for name in ("acosh", "asinh", "atanh")},
    **{name: _refusing("NotImplemented", RuntimeError(f"derivative for aten::{name}_ is not implemented"))
       for name in ("floor_divide", "heaviside")},
}
