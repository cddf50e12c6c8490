"""Words for the places at which the derivatives of operators are exactly zero, for `torchlike.explain`.

Whether a derivative is zero is computed; this only says what people call it. Rows that are not here need no words.
"""

_OUTSIDE = "its input is outside of the bounds, where the result does not depend on it"
_STEPS = "its result is constant between jumps: the derivative is zero everywhere"
_SATURATED = "it is saturated: its result has been rounded to its limit"
_DEAD = "dead: its input is not positive"
_CHOSEN = "other elements were chosen as the extreme ones"
_WORDS = {
    **dict.fromkeys(("relu", "relu6", "threshold"), _DEAD),
    **dict.fromkeys(("sigmoid", "tanh", "_softmax", "_log_softmax", "erf", "log_sigmoid_forward", "mish", "silu", "gelu"),
                    _SATURATED),
    **dict.fromkeys(("clamp", "clamp_min", "clamp_max", "hardtanh", "hardsigmoid", "hardswish", "hardshrink",
                     "softshrink"), _OUTSIDE),
    **dict.fromkeys(("round", "floor", "ceil", "trunc", "sign", "sgn", "fix", "heaviside", "floor_divide"), _STEPS),
    **dict.fromkeys(("max", "min", "amax", "amin", "maximum", "minimum", "fmax", "fmin", "max_pool1d", "max_pool2d",
                     "max_pool3d", "max_pool2d_with_indices", "max_pool3d_with_indices", "adaptive_max_pool2d"), _CHOSEN),
}


def words(row) -> str | None:
    """Why the derivative of a row is zero somewhere.

    Args:
        row: the Row, or None.

    Returns:
        The words, None where there are none.
    """
    if row is None:
        return None
    return _WORDS.get(row.name) or _WORDS.get(row.face) or _WORDS.get(row.name.partition(".")[0])
