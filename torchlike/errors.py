"""Error classes and the texts that several places raise. A text is PyTorch's where PyTorch has one."""


class UnsupportedError(NotImplementedError):
    """Raised where PyTorch has a feature and torchlike has none; the text names the feature."""


class OutOfMemoryError(RuntimeError):
    """`torch.OutOfMemoryError`: the device has no memory left."""


FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward."
)


def wrap_dim(dim: int, ndim: int) -> int:
    """`dim` in 0..ndim-1 (a 0-d tensor counts as 1-d); IndexError as PyTorch's otherwise."""
    span = ndim or 1
    if not -span <= dim < span:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-span}, {span - 1}], "
            f"but got {dim})"
        )
    return dim + span if dim < 0 else dim


def wrap_dims(dims, ndim: int) -> tuple:
    """Each of `dims` wrapped; RuntimeError if one appears twice. None or () means all."""
    if dims is None or dims == ():
        return tuple(range(ndim))
    if isinstance(dims, int):
        dims = (dims,)
    out = tuple(wrap_dim(d, ndim) for d in dims)
    if len(set(out)) != len(out):
        twice = next(d for d in out if out.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return out if ndim else ()
