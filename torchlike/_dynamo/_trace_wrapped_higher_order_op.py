"""One name of PyTorch's module that packages import."""


class TransformGetItemToIndex:
    """A block in which ``x[i]`` with a tensor `i` of no dimensions reads no value from it, so that `torch.vmap` can
    batch it. Here it never does, and the block changes nothing.
    """

    def __enter__(self):
        return self

    def __exit__(self, *exception) -> None:
        return None
