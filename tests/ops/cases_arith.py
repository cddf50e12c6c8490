"""Arithmetic, extrema, clamp and functions of two operands."""

_SHAPES = ("x(3, 4), x(4)", "x(3, 1), x(1, 4)", "x(0, 4), x(4)", "x(), x(2)")
_POSITIVE = ("pos(3, 4), pos(4)", "pos(3, 1), pos(1, 4)", "pos(0, 4), pos(4)", "pos(), pos(2)")


def _calls(name, arguments, *more):
    return [*(f"torch.{name}({a})" for a in arguments), *more]


CASES = {
    "add": _calls(
        "add",
        _SHAPES,
        "torch.add(x(3, 4), x(4), alpha=2)",
        "x(3, 1) + 2",
        "2.5 + x(3)",
        "(x(3) * 1).add_(x(1))",
    ),
    "sub": _calls(
        "sub", _SHAPES, "torch.sub(x(3, 4), x(4), alpha=2)", "x(3, 1) - 2", "torch.subtract(x(2), 1.5)"
    ),
    "rsub.Tensor": _calls("rsub", _SHAPES, "torch.rsub(x(3), x(3), alpha=3)"),
    "rsub.Scalar": ["2 - x(3, 4)", "torch.rsub(x(2), 1.5)", "2.5 - x()"],
    "mul": _calls(
        "mul", _SHAPES, "x(3, 4) * 2.5", "3 * x()", "torch.multiply(x(2), x(2))", "(x(3) * 1).mul_(2)"
    ),
    "div": _calls(
        "div", _POSITIVE, "x(3, 4) / 2", "2 / pos(3)", "torch.true_divide(x(2), pos(2))", "x(3).divide(4)"
    ),
    "div.Tensor_mode": [
        "torch.div(x(3, 4), pos(4), rounding_mode='floor')",
        "torch.div(x(3, 4), pos(4), rounding_mode='trunc')",
        "torch.div(x(3), 2, rounding_mode='floor')",
        "x(3).div(pos(1), rounding_mode='trunc')",
    ],
    "div.Tensor_mode_none": [
        "torch.div(x(3, 4), pos(4), rounding_mode=None)",
        "x(3).div(2, rounding_mode=None)",
    ],
    "floor_divide": [
        "torch.floor_divide(x(3, 4).detach(), pos(4).detach())",
        "x(3).detach() // 2",
        "torch.floor_divide(x(0, 2).detach(), 3)",
    ],
    "remainder.Scalar": ["x(3, 4) % 2", "torch.remainder(x(3), -2)", "x().remainder(2.5)"],
    "remainder.Tensor": _calls("remainder", _POSITIVE, "x(3) % pos(3)"),
    "remainder.Scalar_Tensor": ["torch.remainder(5, i(4, 3) + 1)", "7.5 % pos(2, 2).detach()"],
    "fmod.Scalar": ["torch.fmod(x(3, 4), 2)", "x(3).fmod(2.5)", "torch.fmod(x(), -3)"],
    "fmod.Tensor": _calls("fmod", _POSITIVE),
    "pow.Tensor_Scalar": [
        "x(3, 4) ** 2",
        "pos(3) ** 0.5",
        "pos(3) ** -1.0",
        "x(2).pow(3)",
        "pos(2, 2) ** 2.7",
        "x(3) ** 0",
        "x(3) ** 1",
        "x(2) ** 4",
        "x() ** 2.0",
        "torch.pow(pos(3), -0.5)",
        "torch.square(x(3))",
        "(x(3) * 1).pow_(2)",
    ],
    "pow.Tensor_Tensor": [
        "torch.pow(pos(3, 4), x(4))",
        "pos(3, 1) ** pos(1, 4)",
        "pos(0, 2) ** pos(2)",
        "pos() ** x(2)",
    ],
    "pow.Scalar": ["2 ** x(3, 4).abs()", "torch.pow(2.5, x(3))", "torch.pow(2, pos())"],
    "float_power": [
        "torch.float_power(pos(3), 2)",
        "torch.float_power(pos(3), pos(3))",
        "torch.float_power(2, pos(3))",
        "pos(2).float_power(-1.5)",
    ],
    "addcmul": [
        "torch.addcmul(x(3, 4), x(4), x(3, 1))",
        "torch.addcmul(x(3, 4), x(4), x(3, 1), value=2)",
        "x(2).addcmul(x(2), x(2), value=3)",
        "torch.addcmul(x(0, 2), x(2), x(2))",
    ],
    "addcdiv": [
        "torch.addcdiv(x(3, 4), x(4), pos(3, 1))",
        "torch.addcdiv(x(3, 4), x(4), pos(3, 1), value=2)",
        "x(2).addcdiv(x(2), pos(2), value=3)",
    ],
    "lerp.Scalar": ["torch.lerp(x(3, 4), x(4), 0.3)", "x(3).lerp(x(3), 0.7)", "torch.lerp(x(), x(2), 2)"],
    "lerp.Tensor": [
        "torch.lerp(x(3, 4), x(4), x(3, 1))",
        "torch.lerp(x(0, 2), x(2), x(2))",
        "x(3).lerp(x(3), x(1))",
    ],
    "maximum": _calls("maximum", _SHAPES, "torch.max(x(3), x(3))"),
    "minimum": _calls("minimum", _SHAPES, "torch.min(x(3), x(1))"),
    "fmax": _calls("fmax", _SHAPES),
    "fmin": _calls("fmin", _SHAPES),
    "clamp": [
        "torch.clamp(x(3, 4), -0.5, 0.5)",
        "x(3).clamp(min=0)",
        "x(3).clamp(max=1)",
        "torch.clamp(x(), 1, 0)",
        "torch.clip(x(0, 2), 0, 1)",
        "(x(3) * 1).clamp_(0, 1)",
    ],
    "clamp.Tensor": ["torch.clamp(x(3, 4), x(4), pos(3, 1))", "x(3).clamp(min=x(3))", "x(3).clamp(max=x(1))"],
    "clamp_min": ["torch.clamp_min(x(3, 4), 0.1)", "x(3).clamp_min(1)"],
    "clamp_min.Tensor": ["torch.clamp_min(x(3, 4), x(4))", "x(3).clamp_min(x(1))"],
    "clamp_max": ["torch.clamp_max(x(3, 4), 0.1)", "x(3).clamp_max(1)"],
    "clamp_max.Tensor": ["torch.clamp_max(x(3, 4), x(4))", "x(3).clamp_max(x(1))"],
    "atan2": _calls("atan2", _SHAPES, "torch.arctan2(x(3), x(3))"),
    "hypot": _calls("hypot", _SHAPES),
    "copysign": _calls("copysign", _SHAPES),
    "copysign.Scalar": ["torch.copysign(x(3, 4), -2)", "x(3).copysign(1.5)"],
    "xlogy": _calls("xlogy", _POSITIVE),
    "xlogy.Scalar_Other": ["torch.xlogy(x(3), 2)", "x(3).xlogy(0.5)"],
    "xlogy.Scalar_Self": ["torch.xlogy(2, pos(3))", "torch.xlogy(0.5, pos(2, 2))"],
    "special_xlog1py": _calls("special.xlog1py", _POSITIVE),
    "special_xlog1py.other_scalar": [
        "torch.special.xlog1py(x(3), 2)",
        "torch.special.xlog1py(pos(2, 2), 0.5)",
    ],
    "special_xlog1py.self_scalar": [
        "torch.special.xlog1py(2, pos(3))",
        "torch.special.xlog1py(0.5, pos(2, 2))",
    ],
    "logaddexp": _calls("logaddexp", _SHAPES),
    "logaddexp2": _calls("logaddexp2", _SHAPES),
    "nextafter": _calls("nextafter", _SHAPES),
    "heaviside": [
        "torch.heaviside(x(3, 4).detach(), x(4).detach())",
        "torch.heaviside(x(3).detach() * 0, x(1).detach())",
    ],
    "ldexp": ["torch.ldexp(x(3, 4), x(4))", "torch.ldexp(x(3), i(4, 3))", "torch.ldexp(x(), x(2))"],
    "gcd": _calls("gcd", _SHAPES),
    "lcm": _calls("lcm", _SHAPES),
}

SPECIAL = {
    "div": ["t([0., 1., -1., 0.]) / t([1., 0., 0., -0.])"],
    "maximum": ["torch.maximum(t([1., 0., nan, 1.]), t([1., -0., 1., nan]))"],
    "minimum": ["torch.minimum(t([1., 0., nan, 1.]), t([1., -0., 1., nan]))"],
    "fmax": ["torch.fmax(t([1., 2., nan, 1.]), t([1., 3., 1., nan]))"],
    "fmin": ["torch.fmin(t([1., 2., nan, 1.]), t([1., 3., 1., nan]))"],
    "clamp": [
        "t([0., 1., 0.5, -1., 2., nan]).clamp(0., 1.)",
        "t([0., 1., 2.]).clamp(1., 1.)",
        "t([0., 1., 2.]).clamp(1., 0.)",
        "t([0., 1.]).clamp(min=0.)",
        "t([0., 1.]).clamp(max=1.)",
    ],
    "clamp.Tensor": [
        "torch.clamp(t([0., 1., .5, nan, -1, 2]), t([0., 1., nan, 0, 0, 1]), t([1., 1., 2, 3, -1, 0]))"
    ],
    "pow.Tensor_Scalar": [f"t([0., -0., 1., -1.]) ** {p}" for p in (0, 1, 2, 3, 0.0, 1.0, 2.0, 3.5, -1, 0.5)],
    "pow.Tensor_Tensor": ["t([0., 0., 0., 1., 2., -1.]) ** t([0., 1., 2., 0., 0., 2.])"],
    "pow.Scalar": ["0 ** t([0., 1., 2.])", "0. ** t([0.5, 1.])", "1 ** t([0., 1.])"],
    "atan2": ["torch.atan2(t([0., -0., 0., 1.]), t([0., -0., -0., 0.]))"],
    "hypot": ["torch.hypot(t([0., 1., 0.]), t([0., 0., 2.]))"],
    "copysign": ["torch.copysign(t([0., -0., 1., -1.]), t([1., 1., -0., 0.]))"],
    "xlogy": ["torch.xlogy(t([0., 0., 0., 1., 0.]), t([0., 1., -1., 0., nan]))"],
    "special_xlog1py": ["torch.special.xlog1py(t([0., 0., 0., 1.]), t([-1., 1., -2., 0.]))"],
    "logaddexp": ["torch.logaddexp(t([inf, -inf, 1.]), t([inf, 1., 1.]))"],
    "remainder.Tensor": ["torch.remainder(t([1., -1., -7., 7., 1.]), t([inf, inf, 2., -2., 0.]))"],
    "fmod.Tensor": ["torch.fmod(t([1., -1., -7., 7., 1.]), t([inf, inf, 2., -2., 0.]))"],
    "div.Tensor_mode": [
        "torch.div(t([0., 1., -1., 7., -7., .3]), t([0., 0., 0., 2., 2., .1]), rounding_mode='floor')"
    ],
}

ERRORS = {
    "add": [
        "torch.add(i(3, 2), i(3, 2), alpha=1.5)",
        "torch.add(x(3), x(4))",
        "torch.add(x(3), 1, alpha=1j)",
        "torch.add(i(3, 2), i(3, 2), alpha=1.0)",
        "torch.add(x(3), x(3), alpha=True)",
        "i(3, 2).add_(1, alpha=True)",
        "torch.sub(i(3, 2), i(3, 2), alpha=1.0)",
    ],
    "sub": ["b(2) - b(2)", "b(2) - 1", "b(2) - i(2, 2)", "1 - b(2)"],
    "div.Tensor_mode": [
        "torch.div(x(2), 2, rounding_mode='x')",
        "torch.div(b(2), b(2), rounding_mode='floor')",
    ],
    "pow.Tensor_Scalar": ["i(3, 2) ** -1", "b(2) ** b(2)"],
    "addcdiv": ["torch.addcdiv(i(3, 2), i(3, 2), i(3, 2))"],
    "lerp.Tensor": ["torch.lerp(x(2), x(2).double(), 0.5)", "torch.lerp(i(2, 2), i(2, 2), 0.5)"],
    "clamp": ["torch.clamp(x(2))", "torch.clamp(c(2), 0, 1)"],
    "maximum": ["torch.maximum(c(2), c(2))"],
    "heaviside": ["torch.heaviside(x(2), i(2, 2))"],
    "gcd": ["torch.gcd(x(2), x(2))"],
    "hypot": ["torch.hypot(i(2, 2), i(2, 2))"],
    "remainder.Tensor": ["torch.remainder(c(2), c(2))", "torch.fmod(b(2), b(2))"],
    "nextafter": ["torch.nextafter(i(2, 2), i(2, 2))"],
}
