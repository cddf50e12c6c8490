"""The `reduction` argument of losses, its number in operators, and its two deprecated ancestors."""

import warnings

_NUMBER = {"none": 0, "mean": 1, "sum": 2}
_LEGACY = "size_average and reduce args will be deprecated, please use reduction='{}' instead."


def get_enum(reduction: str) -> int:
    """0, 1, 2 for "none", "mean", "sum"; ValueError on another word."""
    if reduction not in _NUMBER:
        if reduction == "elementwise_mean":
            warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.",
                          stacklevel=2)
            return 1
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _NUMBER[reduction]


def legacy_get_string(size_average, reduce, emit_warning=True) -> str:
    """The reduction that `size_average` and `reduce` (None means True) ask for."""
    if reduce is False:
        reduction = "none"
    else:
        reduction = "sum" if size_average is False else "mean"
    if emit_warning:
        warnings.warn(_LEGACY.format(reduction), stacklevel=4)
    return reduction


def resolve(size_average, reduce, reduction) -> str:
    """`reduction`, or what the deprecated arguments mean if one of them was given."""
    if size_average is None and reduce is None:
        return reduction
    return legacy_get_string(size_average, reduce)


def number(size_average, reduce, reduction) -> int:
    """`resolve` as the number that operators take."""
    if size_average is None and reduce is None:
        return get_enum(reduction)
    return get_enum(legacy_get_string(size_average, reduce))


def reduce_loss(loss, which: int):
    """`loss` reduced as the number `which` says."""
    if which == 1:
        return loss.mean()
    return loss.sum() if which == 2 else loss
