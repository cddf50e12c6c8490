"""In-place forms whose Node is not that of the operation out of place."""

from torchlike._ops.table import node_name

# By row: the name of its Node.
NAMES = {
    "_fill": "FillBackward2", "_fill_tensor": "FillBackward3",
    **{name: node_name(name)[:-1] + "1" for name in ("celu", "conj_physical", "elu", "leaky_relu", "rrelu_with_noise",
                                                     "threshold")},
}
# By row, where PyTorch has no formula: the name of its Node, and what backward raises.
REFUSALS = {
    **{name: (f"{name.capitalize()}Backward1", NotImplementedError,
              f"the derivative for 'inplace version of {name}' is not implemented.")
       for name in ("acosh", "asinh", "atanh")},
    **{name: ("NotImplemented", RuntimeError, f"derivative for aten::{name}_ is not implemented")
       for name in ("floor_divide", "heaviside")},
}
