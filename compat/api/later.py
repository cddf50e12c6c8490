"""Names that PyTorch 2.14 has and 2.13, which the written files are made of, has not: they are written with the others.

A row of this table goes when the PyTorch that torchlike follows has the name.
"""

# Signatures of PyTorch's parser, which its errors cite.
SIGNATURES = """
torch.linalg.matrix_sqrth linalg_matrix_sqrth(Tensor input)
torch.linalg.polar linalg_polar(Tensor A, *, TensorList[2] out=None)
"""
# Operator of the dispatcher -> its overloads.
OPERATORS = {
    "aten::linalg_matrix_sqrth": ("default", "out"),
    "aten::linalg_polar": ("default", "out"),
}
# PyTorch's module -> functions and classes of which it is the home.
HOMES = {
    "torch._C._linalg": "linalg_matrix_sqrth linalg_polar",
    "torch.compiler": "PrecompileError cudagraph_mark_warmup_incomplete nonstrict_trace",
    "torch.distributed.distributed_c10d": "gather_into_tensor gather_single get_backend_impl set_timeout",
    "torch.distributed.tensor._api": "linspace logspace",
    "torch.accelerator.random": "get_rng_state get_rng_state_all initial_seed",
    "torch.autograd.graph": "node_creation_hook",
}
DTYPES = {"bcomplex32"}
# Function -> arguments that it has since then.
ARGUMENTS = {"torch.compile": ("dynamic_shapes",)}


def homes() -> list:
    """(module, name) of each."""
    return [(home, name) for home, names in HOMES.items() for name in names.split()]


def rows() -> set:
    """The rows of the table that have such an operator."""
    return {operator.removeprefix("aten::") for operator in OPERATORS}
