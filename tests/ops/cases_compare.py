"""Comparisons, logic, bits, masks."""

_SHAPES = ("x(3, 4), x(4)", "x(3, 1), x(1, 4)", "x(0, 4), x(4)", "x(), x(2)")


def _calls(name, *more):
    return [*(f"torch.{name}({a})" for a in _SHAPES), *more]


CASES = {
    "eq": _calls("eq", "x(3) == 1", "x(3) == 0.5", "x(3) == x(3)"),
    "ne": _calls("ne", "x(3) != 1", "torch.not_equal(x(2), 2.5)"),
    "lt": _calls("lt", "x(3) < 1", "torch.less(x(2), 0.1)"),
    "le": _calls("le", "x(3) <= 1", "torch.less_equal(x(2), 0.1)"),
    "gt": _calls("gt", "x(3) > 1", "torch.greater(x(2), 0.1)"),
    "ge": _calls("ge", "x(3) >= 1", "torch.greater_equal(x(2), 0.1)"),
    "logical_and": _calls("logical_and", "torch.logical_and(x(3), b(3))"),
    "logical_or": _calls("logical_or", "torch.logical_or(x(3) * 0, b(3))"),
    "logical_xor": _calls("logical_xor", "torch.logical_xor(x(3), i(2, 3))"),
    "bitwise_and": _calls("bitwise_and", "i(9, 3) & 5", "b(3) & b(3)", "b(3) & True"),
    "bitwise_or": _calls("bitwise_or", "i(9, 3) | 4", "b(3) | b(3)"),
    "bitwise_xor": _calls("bitwise_xor", "i(9, 3) ^ 7", "b(3) ^ b(3)"),
    "bitwise_left_shift": _calls("bitwise_left_shift", "i(9, 3) << 2", "i(9, 3) << 70", "i(9, 3) << i(3, 3)"),
    "bitwise_right_shift": _calls(
        "bitwise_right_shift", "i(99, 3) >> 2", "-i(99, 3) >> 70", "-i(99, 3) >> i(3, 3)"
    ),
    "where.self": [
        "torch.where(b(3, 4), x(3, 4), x(4))",
        "torch.where(x(3) > 0, x(3), 0.5)",
        "torch.where(b(3), 1, x(3))",
        "torch.where(b(3), 1, 2.)",
        "x(3, 1).where(b(4), x())",
        "torch.where(b(0, 2), x(2), x(2))",
        "torch.where(x(3, 3) > 0)",
    ],
    "masked_fill.Scalar": [
        "x(3, 4).masked_fill(b(4), 1.5)",
        "torch.masked_fill(x(3), b(2, 3), 2)",
        "(x(3) * 1).masked_fill_(b(3), 0)",
    ],
    "masked_fill.Tensor": [
        "x(3, 4).masked_fill(b(4), x())",
        "x(3).masked_fill(b(3), i(3))",
        "(x(3) * 1).masked_fill_(b(3), x())",
    ],
    "isclose": _calls("isclose", "torch.isclose(x(3), x(3), rtol=10.)", "x(3).isclose(x(3), atol=1.)"),
    "allclose": [
        "torch.allclose(x(3), x(3))",
        "torch.allclose(x(3), x(3), atol=100.)",
        "x(0).allclose(x(0))",
    ],
    "equal": ["torch.equal(x(3), x(3))", "torch.equal(x(3), x(2))", "torch.equal(i(1, 3), i(1, 3))"],
}

SPECIAL = {
    "where.self": ["torch.where(t([1., 0.]) > 0, t([1., 2.]), t([nan, 3.]))"],
    "isclose": ["torch.isclose(t([nan, inf, -inf, inf]), t([nan, inf, inf, 1.]), equal_nan=True)"],
    "eq": ["t([nan, inf, 0.]) == t([nan, inf, -0.])"],
}

ERRORS = {
    "lt": ["c(2) < c(2)", "torch.ge(c(2), 1)"],
    "bitwise_and": ["x(2) & x(2)", "torch.bitwise_or(c(2), c(2))"],
    "bitwise_left_shift": ["b(2) << b(2)"],
    "where.self": ["torch.where(i(2, 2), x(2), x(2))", "torch.where(b(3), x(2), x(2))"],
    "masked_fill.Scalar": ["x(2).masked_fill(i(2, 2), 1.)", "x(2).masked_fill(b(2), x(2))"],
    "isclose": ["torch.isclose(x(2), i(2, 2))", "torch.isclose(x(2), x(2), rtol=-1.)"],
}
