"""Running sums, products and extrema; differences and integrals."""

_ARGUMENTS = ("x(3, 4), 0", "x(3, 4), -1", "x(2, 3, 2), dim=1", "x(), 0", "x(0, 3), 0")


def _over(name, *more):
    return [*(f"torch.{name}({a})" for a in _ARGUMENTS), *more]


CASES = {
    "cumsum": _over("cumsum", "x(3).cumsum(0, dtype=torch.float64)", "(x(3) * 1).cumsum_(0)"),
    "cumprod": _over("cumprod", "x(3).cumprod(0, dtype=torch.float64)"),
    "cummax": _over("cummax", "x(5).cummax(0).values"),
    "cummin": _over("cummin", "x(5).cummin(0).indices"),
    "logcumsumexp": _over("logcumsumexp"),
    "diff": [
        "torch.diff(x(4))",
        "x(3, 4).diff(dim=0)",
        "x(3, 4).diff(axis=0)",
        "x(3, 4).diff(2)",
        "torch.diff(x(3, 4), prepend=x(3, 1), append=x(3, 2))",
        "torch.diff(b(4))",
        "x(2).diff(5)",
    ],
    "trapezoid": [
        "torch.trapezoid(x(3, 4))",
        "torch.trapezoid(x(3, 4), dx=2.)",
        "torch.trapezoid(x(3, 4), x(4))",
        "torch.trapezoid(x(3, 4), x(3), dim=0)",
        "torch.trapezoid(x(3, 4), x(3, 4))",
    ],
    "cumulative_trapezoid": [
        "torch.cumulative_trapezoid(x(3, 4))",
        "torch.cumulative_trapezoid(x(3, 4), dx=2.)",
        "torch.cumulative_trapezoid(x(3, 4), x(4))",
    ],
}

SPECIAL = {
    "cummax": ["t([1., 1., 0., 2., 2., nan, 1., nan]).cummax(0)"],
    "cummin": ["t([1., 1., 2., 0., 0., nan, 1.]).cummin(0)"],
    "cumprod": ["t([0., 2., 3.]).cumprod(0)", "t([2., 0., 3., 0., 4.]).cumprod(0)"],
}

ERRORS = {
    "cumsum": ["x(2).cumsum(1)"],
    "cummax": ["c(2).cummax(0)"],
    "logcumsumexp": ["i(3, 2).logcumsumexp(0)"],
    "diff": ["torch.diff(x())", "torch.diff(x(2), n=-1)"],
}
