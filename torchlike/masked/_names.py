"""Which functions `torch.masked` and `MaskedTensor` have in PyTorch, by kind, as they are named in torch.ops.aten.

Rows could do more than that.
"""

# -- element by element
UNARY_NAMES = str.split(
    "abs absolute acos arccos acosh arccosh angle asin arcsin asinh arcsinh atan arctan atanh arctanh bitwise_not ceil "
    "clamp clip conj_physical cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac lgamma log log10 log1p "
    "log2 logit i0 isnan nan_to_num neg negative positive pow rad2deg reciprocal round rsqrt sigmoid sign sgn signbit sin "
    "sinc sinh sqrt square tan tanh trunc")
INPLACE_UNARY_NAMES = [f"{name}_" for name in UNARY_NAMES if name not in ("angle", "positive", "signbit", "isnan")]
BINARY_NAMES = str.split(
    "add atan2 arctan2 bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift div divide floor_divide "
    "fmod logaddexp logaddexp2 mul multiply nextafter remainder sub subtract true_divide eq ne le ge greater greater_equal "
    "gt less_equal lt less maximum minimum fmax fmin not_equal")
INPLACE_BINARY_NAMES = [f"{name}_" for name in BINARY_NAMES
                        if name not in ("logaddexp", "logaddexp2", "fmin", "minimum", "maximum", "fmax")]

# -- the places of elements
PASSTHROUGH_NAMES = str.split(
    "select transpose split t slice index expand view _unsafe_view _reshape_alias cat unsqueeze unfold im2col col2im stack")
# Gradients of them: sums of what is in one place.
BACKWARD_NAMES = ["slice_backward", "select_backward", "unfold_backward"]

# -- reductions
REDUCE_NAMES = ["sum", "mean", "amin", "amax", "argmin", "argmax", "prod", "all", "norm", "var", "std"]
NO_NEUTRAL = ("mean", "var", "std")
EXTREMES, PLACES_OF_EXTREMES = ("amax", "amin"), ("argmin", "argmax")
REDUCTIONS = frozenset(str.split("sum prod amax amin argmax argmin mean median norm var std logsumexp"))
NORMALIZATIONS = frozenset(str.split("softmax log_softmax softmin normalize cumsum cumprod"))
ZERO, ONE = ("sum", "cumsum"), ("prod", "cumprod")
HIGHEST = ("amin", "argmin")  # what is masked out of them stands as the highest number, else as the lowest
