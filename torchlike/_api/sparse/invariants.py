"""What must hold of the parts of a sparse tensor, and whether that is checked.

https://pytorch.org/docs/stable/sparse.html#tools-for-working-with-sparse-tensor-invariants
"""

import functools
import itertools

import numpy as np

from torchlike._api.sparse.compressed import FORMS
from torchlike._record.leaf import host
from torchlike._record.warning import warn_once

_IMPLICIT = (
    "Sparse invariant checks are implicitly disabled. Memory errors (e.g. SEGFAULT) will occur when operating on a sparse "
    "tensor which violates the invariants, but checks incur performance overhead. To silence this warning, explicitly opt "
    "in or out. See `torch.sparse.check_sparse_tensor_invariants.__doc__` for guidance. ")


class _Checks:
    """Whether constructors check where their argument `check_invariants` does not say it; whether that was ``chosen``."""

    enabled = chosen = False

    def choose(self, enabled: bool) -> None:
        """What constructors do from now on."""
        self.enabled, self.chosen = enabled, True

    def wanted(self, given) -> bool:
        """Whether this constructor checks."""
        if given is None and not self.chosen:
            warn_once(_IMPLICIT)
        return self.enabled if given is None else bool(given)


checks = _Checks()


class check_sparse_tensor_invariants:  # noqa: N801 - PyTorch's name
    """A context, or a decorator, in which constructors of sparse tensors check their parts, or do not.
    https://pytorch.org/docs/stable/generated/torch.sparse.check_sparse_tensor_invariants.html

    Args:
        enable: whether they do.
    """

    def __init__(self, enable: bool = True):
        self.state = enable
        self.saved_state: bool | None = None

    @staticmethod
    def is_enabled() -> bool:
        """Whether constructors check."""
        return checks.enabled

    @staticmethod
    def enable() -> None:
        """From now on they do."""
        checks.choose(True)

    @staticmethod
    def disable() -> None:
        """From now on they do not."""
        checks.choose(False)

    def __enter__(self) -> None:
        if self.saved_state is not None:
            raise RuntimeError("This context manager instance is already activated. Use a different context manager "
                               "instance for context nesting.")
        self.saved_state = checks.enabled
        checks.choose(self.state)

    def __exit__(self, *error) -> None:
        assert self.saved_state is not None
        checks.enabled, self.saved_state = self.saved_state, None

    def __call__(self, mth):
        @functools.wraps(mth)
        def test_mth(*args, **kwargs):
            with type(self)(self.state):
                return mth(*args, **kwargs)

        return test_mth


def check_compressed(layout, pair, values, shape) -> None:
    """RuntimeError where these are no parts of a tensor of a compressed layout.

    Args:
        layout: the layout.
        pair: the compressed and the plain indices, Tensors.
        values: a Tensor.
        shape: that of the tensor.
    """
    form = FORMS[layout]
    compressed, plain = form.compressed, form.plain
    check_values_dim(form, pair, values)
    batch = pair[0].dim() - 1
    inner = 2 if form.blocks else 0
    dense = values.dim() - batch - inner - 1
    if len(shape) != batch + 2 + dense:
        raise RuntimeError("tensor dimensionality must be sum of batch, base, and dense dimensionalities "
                           f"(={batch} + 2 + {dense}) but got {len(shape)}")
    block = tuple(values.shape[batch + 1:batch + 3]) if form.blocks else (1, 1)
    for i, size in enumerate(block):
        if shape[batch + i] % size:
            raise RuntimeError(f"tensor shape[{i}] (={shape[batch + i]}) must be divisible with blocksize[{i}] (={size}) as "
                               "defined by values shape")
    lines = "rows" if form.axis == 0 else "columns"
    sizes = [shape[batch + i] // block[i] for i in (0, 1)]
    count, width = sizes[form.axis], sizes[1 - form.axis]
    if pair[0].shape[-1] != count + 1:
        kind = f"{lines[:-1]} blocks" if form.blocks else lines
        raise RuntimeError(f"{compressed}.shape[-1] must be equal to the number of {kind} + 1 (={count + 1}), but got "
                           f"{pair[0].shape[-1]}")
    nnz = values.shape[batch]
    if pair[1].shape[-1] != nnz:
        raise RuntimeError(f"{plain}.shape[-1] must be equal to nnz (={nnz}) as defined by values.shape[{batch}], but got "
                           f"{pair[1].shape[-1]}")
    if pair[0].dtype is not pair[1].dtype:
        raise RuntimeError(f"{compressed} and {plain} must have the same dtype, bot got {pair[0].dtype.scalar_name} and "
                           f"{pair[1].dtype.scalar_name}, respectively")
    _check_values(form, [host(each._cell) for each in pair], nnz, width)


def check_values_dim(form, pair, values) -> None:
    """RuntimeError where the values have fewer dimensions than the form and the indices want."""
    batch, inner = pair[0].dim() - 1, 2 if form.blocks else 0
    if values.dim() <= batch + inner:
        raise RuntimeError(f"values must have dimensionality > sum of batch and block dimensionalities (={batch} + {inner}) "
                           f"but got {values.dim()}")


def _check_values(form, arrays, nnz, width) -> None:
    compressed, plain = arrays[0].reshape(-1, arrays[0].shape[-1]), arrays[1].reshape(-1, nnz)
    wide, line = ("ncols", "nrows") if form.axis == 0 else ("nrows", "ncols")
    for ends, others in zip(compressed, plain, strict=True):
        steps = np.diff(ends)
        lines = [others[a:b] for a, b in itertools.pairwise(ends)]
        rules = (
            (((others >= 0) & (others < width)).all(), f"0 <= {form.plain} < {wide}"),
            (ends[0] == 0, f"{form.compressed}[..., 0] == 0"),
            (ends[-1] == nnz, f"{form.compressed}[..., -1] == nnz"),
            (((steps >= 0) & (steps <= width)).all() or ((steps < 0).any() and (steps <= width).all()),
             f"0 <= {form.compressed}[..., 1:] - {form.compressed}[..., :-1] <= {wide}"),
            (all((np.diff(each) > 0).all() for each in lines) and (steps >= 0).all(),
             f"{form.plain}[..., {form.compressed}[..., i - 1]:{form.compressed}[..., i]] for all i = 1, ..., {line} are "
             "sorted and distinct along the last dimension values"),
        )
        for holds, text in rules:
            if not holds:
                raise RuntimeError(f"`{text}` is not satisfied.")
