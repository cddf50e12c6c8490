"""Channels moved into space, out of it, and among themselves: pixel_shuffle, pixel_unshuffle, channel_shuffle.

https://pytorch.org/docs/stable/nn.functional.html#vision-functions
"""



from torchlike._ops.table import op


@op("pixel_shuffle(Tensor self, int upscale_factor) -> Tensor", method=False, out=False, grads={"self": ""},
    layout="channels")
def pixel_shuffle(x, *, upscale_factor):
    """(*, C r^2, H, W) to (*, C, H r, W r)."""
    r = upscale_factor
    if x.ndim < 3:
        raise RuntimeError("pixel_shuffle expects input to have at least 3 dimensions, but got input with "
                           f"{x.ndim} dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    *lead, c, h, w = x.shape
    if c % (r * r):
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                           f"upscale_factor, but input.size(-3)={c} is not divisible by {r * r}")
    n = len(lead)
    x = x.reshape(*lead, c // (r * r), r, r, h, w)
    x = x.transpose(*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return x.reshape(*lead, c // (r * r), h * r, w * r)


@op("pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor", method=False, out=False, grads={"self": ""},
    layout="channels")
def pixel_unshuffle(x, *, downscale_factor):
    """(*, C, H r, W r) to (*, C r^2, H, W)."""
    r = downscale_factor
    if x.ndim < 3:
        raise RuntimeError("pixel_unshuffle expects input to have at least 3 dimensions, but got input with "
                           f"{x.ndim} dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *lead, c, h, w = x.shape
    for name, size, dim in (("height", h, -2), ("width", w, -1)):
        if size % r:
            raise RuntimeError(f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                               f"input.size({dim})={size} is not divisible by {r}")
    n = len(lead)
    x = x.reshape(*lead, c, h // r, r, w // r, r)
    x = x.transpose(*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return x.reshape(*lead, c * r * r, h // r, w // r)


@op("channel_shuffle(Tensor self, int groups) -> Tensor", method=False, out=False, grads={"self": ""},
    layout="channels")
def channel_shuffle(x, *, groups):
    """Channels (N, g k, *) reordered as if (g, k) were transposed."""
    if x.ndim < 3:
        raise RuntimeError("channel_shuffle expects input with > 2 dims, but got input with sizes "
                           f"{list(x.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if x.shape[1] % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {x.shape[1]} channels and "
                           f"{groups} groups.")
    n, c = x.shape[:2]
    return x.reshape(n, groups, c // groups, *x.shape[2:]).swapaxes(1, 2).reshape(x.shape)
