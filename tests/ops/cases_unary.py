"""Functions of one operand."""

_SHAPES = ("(3, 4)", "()", "(0, 2)", "(2, 1, 3)")


def _over(name, inputs="x", *more):
    return [*(f"torch.{name}({inputs}{shape})" for shape in _SHAPES), *more]


_ANY = [
    "exp",
    "exp2",
    "expm1",
    "sin",
    "cos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "neg",
    "abs",
    "sign",
    "sgn",
    "floor",
    "ceil",
    "trunc",
    "round",
    "isnan",
    "isinf",
    "isfinite",
    "isposinf",
    "isneginf",
    "signbit",
    "logical_not",
    "bitwise_not",
    "erf",
    "erfc",
    "sigmoid",
    "sinc",
    "nan_to_num",
    "angle",
    "deg2rad",
    "rad2deg",
    "frac",
    "conj_physical",
    "i0",
]
_POSITIVE = [
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "lgamma",
    "digamma",
    "special_entr",
]
_WITHIN_ONE = [
    "asin",
    "acos",
    "atanh",
    "erfinv",
    "tan",
    "special_ndtri",
    "special_log_ndtr",
    "special_i0e",
    "special_i1",
    "special_i1e",
]


def _public(name):
    return name.replace("special_", "special.")


# PyTorch's trigamma is good to 1e-9 only: its gradients are compared in tests/ops/test_trigamma.py.
CASES = {
    **{name: _over(_public(name)) for name in _ANY},
    **{name: _over(_public(name), "pos") for name in _POSITIVE},
    **{name: _over(_public(name), "unit") for name in _WITHIN_ONE},
    "acosh": _over("acosh", "gt1"),
    "logit": [
        *_over("special.logit", "pos", "torch.logit(pos(3) / 3, eps=0.3)"),
        "torch.logit(unit(3), 0.1)",
    ],
    "round.decimals": ["torch.round(x(3, 4), decimals=1)", "(x(3) * 100).round(decimals=-1)"],
    "polygamma": [
        "torch.polygamma(0, pos(3).detach())",
        "torch.polygamma(2, pos(3, 2))",
        "pos(2).polygamma(3)",
    ],
    "mvlgamma": ["torch.mvlgamma(gt1(3), 2)", "torch.mvlgamma(gt1(2, 2) + 2, 3)"],
}
CASES["nan_to_num"] = [
    "torch.nan_to_num(x(3, 4).real)",
    "torch.nan_to_num(x(3).real / x(3).real, nan=2., posinf=3., neginf=4.)",
]
CASES["exp"] += ["(x(3) * 1).exp_()", "x(2, 3).t().exp()"]
CASES["digamma"] = [
    "torch.digamma(pos(3, 4).detach())",
    "torch.digamma(-pos(3).detach())",
    "torch.special.psi(pos(0, 2).detach())",
]
CASES["sigmoid"] += ["torch.special.expit(x(3))"]

SPECIAL = {
    name: [f"torch.{_public(name)}(t([0., -0., 1., -1., nan, inf, -inf]))"]
    for name in [
        "abs",
        "sign",
        "sgn",
        "exp",
        "expm1",
        "exp2",
        "sqrt",
        "log",
        "log2",
        "log10",
        "log1p",
        "reciprocal",
        "tan",
        "tanh",
        "sinh",
        "asin",
        "acos",
        "atan",
        "atanh",
        "acosh",
        "asinh",
        "sigmoid",
        "erf",
        "erfc",
        "erfinv",
        "sinc",
        "angle",
        "floor",
        "round",
        "trunc",
        "frac",
        "nan_to_num",
    ]
}
SPECIAL["logit"] = ["torch.logit(t([0., 1., 0.1, 0.9, 0.5]), eps=0.1)", "torch.logit(t([0.2, 2., -1.]))"]
SPECIAL["round"] += ["torch.round(t([0.5, 1.5, 2.5, -0.5]))"]
SPECIAL["special_entr"] = ["torch.special.entr(t([0., -1., 1.]))"]
SPECIAL["special_i1"] = ["torch.special.i1(t([0., 1., -1.]))", "torch.special.i1e(t([0., 1., -1.]))"]

ERRORS = {
    "neg": ["-b(2)"],
    "sign": ["torch.sign(c(2))"],
    "floor": ["torch.floor(c(2))", "torch.floor(b(2))"],
    "frac": ["torch.frac(i(3, 2))"],
    "abs": ["torch.abs(b(2))"],
    "erf": ["torch.erf(c(2))"],
    "deg2rad": ["torch.deg2rad(c(2))"],
    "isposinf": ["torch.isposinf(c(2))"],
    "signbit": ["torch.signbit(c(2))"],
    "bitwise_not": ["torch.bitwise_not(x(2))", "torch.bitwise_not(c(2))"],
    "logit": ["torch.logit(c(2))"],
    "polygamma": ["torch.polygamma(-1, x(2))"],
    "positive": ["torch.positive(b(2))"],
}
