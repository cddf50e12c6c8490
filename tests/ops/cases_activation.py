"""Activations and softmax."""


def _nn(name, *more):
    return [f"F.{name}(x(3, 4))", f"F.{name}(x())", f"F.{name}(x(0, 2))", *more]


CASES = {
    "relu": [*_nn("relu"), "torch.relu(x(3))", "(x(3) * 1).relu_()", "F.relu(x(3) * 1, inplace=True)"],
    "leaky_relu": _nn(
        "leaky_relu",
        "F.leaky_relu(x(3), 0.3)",
        "F.leaky_relu(x(3), -0.5)",
        "F.leaky_relu(x(3) * 1, 0.1, True)",
    ),
    "hardtanh": _nn(
        "hardtanh", "F.hardtanh(x(3), -0.5, 0.2)", "F.relu6(x(3) * 5)", "F.relu6(x(3) * 5, inplace=True)"
    ),
    "hardswish": _nn("hardswish", "F.hardswish(x(3) * 4)"),
    "hardsigmoid": ["F.hardsigmoid(x(3, 4).detach() * 3)", "F.hardsigmoid(x().detach())"],
    "hardshrink": _nn("hardshrink", "F.hardshrink(x(3), 0.2)", "x(3).hardshrink(1.0)"),
    "softshrink": _nn("softshrink", "F.softshrink(x(3), 0.2)", "F.softshrink(x(3), 0.)"),
    "threshold": [
        "F.threshold(x(3, 4), 0.1, 2.)",
        "torch.threshold(x(3), 0, 1)",
        "F.threshold(x(0), 0.5, 0.)",
    ],
    "elu": _nn("elu", "F.elu(x(3), 0.5)", "F.elu(x(3) * 1, inplace=True)"),
    "selu": [*_nn("selu"), "torch.selu(x(3))", "F.selu(x(3) * 1, inplace=True)"],
    "celu": [*_nn("celu"), "torch.celu(x(3), 0.5)"],
    "gelu": _nn("gelu", "F.gelu(x(3, 4), approximate='tanh')"),
    "silu": ["F.silu(x(3, 4).real)", "F.silu(x().real)", "F.silu(x(3).real * 1, inplace=True)"],
    "mish": _nn("mish"),
    "softplus": _nn("softplus", "F.softplus(x(3, 4), 2, 1)", "F.softplus(x(3), beta=0.5)"),
    "log_sigmoid": _nn("logsigmoid"),
    "prelu": [
        "F.prelu(x(3, 4), x(4))",
        "F.prelu(x(2, 3, 2), x(3))",
        "torch.prelu(x(3), x(1))",
        "F.prelu(x(), x(1))",
    ],
    "rrelu_with_noise": ["torch.rrelu(x(3, 4))", "torch.rrelu(x(3), 0.1, 0.2)"],
    "glu": ["F.glu(x(3, 4))", "F.glu(x(4, 3), 0)", "F.glu(x(2, 4, 3), dim=1)"],
    "softmax": [
        f"torch.softmax(x({s}).real, {d})"
        for s, d in (("3, 4", 1), ("3, 4", 0), ("", 0), ("0, 3", 0), ("2, 3, 4", -2))
    ]
    + [
        "x(3).softmax(-1)",
        "F.softmax(x(3, 2), dim=1)",
        "torch.softmax(x(3), 0, dtype=torch.float64)",
        "F.softmin(x(3), dim=0)",
    ],
    "log_softmax": [
        f"torch.log_softmax(x({s}).real, {d})"
        for s, d in (("3, 4", 1), ("3, 4", 0), ("", 0), ("0, 3", 0), ("2, 3, 4", -2))
    ]
    + ["F.log_softmax(x(3, 2), dim=1)", "torch.log_softmax(x(3), 0, dtype=torch.float64)"],
    "softsign": ["F.softsign(x(3))", "F.tanhshrink(x(3))"],
}

_KINKS = "t([0., -0., 1., -1., 3., -3., 6., 0.5, -0.5, nan, 100., -100.])"
SPECIAL = {
    name: [f"F.{name}({_KINKS})"]
    for name in (
        "relu",
        "leaky_relu",
        "hardtanh",
        "relu6",
        "hardswish",
        "hardsigmoid",
        "hardshrink",
        "softshrink",
        "elu",
        "selu",
        "celu",
        "gelu",
        "silu",
        "mish",
        "softplus",
        "logsigmoid",
    )
}
SPECIAL["threshold"] = [f"F.threshold({_KINKS}, 0.5, 7.)"]
SPECIAL["prelu"] = ["F.prelu(t([0., -0., 1., -1.]), t([0.5]))"]
SPECIAL["softmax"] = ["torch.softmax(t([1., -inf, 2.]), 0)", "torch.softmax(t([-inf, -inf]), 0)"]
SPECIAL["log_softmax"] = ["torch.log_softmax(t([1., -inf, 2.]), 0)"]

ERRORS = {
    "relu": ["torch.relu(b(2))", "torch.relu(c(2))"],
    "leaky_relu": ["F.leaky_relu(i(2, 2))"],
    "gelu": ["F.gelu(x(2), approximate='x')", "F.gelu(i(2, 2))"],
    "celu": ["torch.celu(x(2), 0.)"],
    "hardtanh": ["F.hardtanh(b(2))"],
    "softshrink": ["F.softshrink(x(2), -1.)"],
    "prelu": ["F.prelu(x(2, 3), x(2))", "F.prelu(x(2, 3), x(1, 3))", "F.prelu(x(2), x(1).double())"],
    "glu": ["F.glu(x(2, 3), 1)"],
    "softmax": ["torch.softmax(i(3, 2), 0)", "torch.softmax(i(3, 2, 2), 0)", "torch.softmax(x(2), 1)"],
    "log_softmax": ["torch.log_softmax(i(3, 2), 0)"],
}
