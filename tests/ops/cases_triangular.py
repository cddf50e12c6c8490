"""Triangles, diagonals and creation: torchlike/_ops/indexing/triangles.py, creation.py, window.py."""

CASES = {
    "tril": [
        "x(3,4).tril()", "torch.tril(x(2,3,3), -1)", "x(3,3).tril(5)", "x(3,3).tril(-5)", "x(0,3).tril()",
        "(x(3,3) * 1).tril_(1)",
    ],
    "triu": ["x(3,4).triu()", "torch.triu(x(2,3,3), 1)", "x(1,1).triu(1)", "(x(3,3) * 1).triu_()"],
    "diag_embed": [
        "torch.diag_embed(x(2,3))", "torch.diag_embed(x(3), 1)", "torch.diag_embed(x(2,3), -2, 0, 2)",
        "torch.diag_embed(x(2,3), 1, -1, 0)", "torch.diag_embed(x(0))", "torch.diag(x(3), -1)",
        "torch.diag(x(3,4), 1)", "torch.diag(x(3,4), -5)", "torch.diagflat(x(2,2), 1)",
    ],
    "complex": [
        "torch.complex(x(2,3).double(), x(3).double())", "torch.complex(x().float(), x(2).float())",
        "torch.complex(x(0).double(), x(0).double())",
    ],
    "polar": ["torch.polar(pos(2,3), x(3))", "torch.polar(pos(), x(2))"],
    "vander": [
        "torch.vander(x(3).detach())", "torch.vander(x(3).detach(), 4, True)", "torch.vander(x(2), 0)",
        "torch.vander(x(2), 1)",
    ],
    "eye": ["torch.eye(3, dtype=dtype)", "torch.eye(2, 4, dtype=dtype)", "torch.eye(0)", "torch.eye(3, 1)"],
    "tril_indices": [
        "torch.tril_indices(3, 4)", "torch.tril_indices(3, 2, -1)", "torch.triu_indices(3, 4, 1)",
        "torch.triu_indices(0, 2)", "torch.triu_indices(2, 2, dtype=torch.int32)",
    ],
    "full": [
        "torch.full((2,3), 3)", "torch.full((2,), 2.5, dtype=dtype)", "torch.full((), True)",
        "torch.full((2,), 1j)", "torch.full_like(x(2,3), 3)", "torch.full_like(x(2,3).t(), 1)",
        "torch.zeros(2, 3, dtype=dtype)", "torch.ones((2,0), dtype=dtype)", "torch.zeros(())",
        "torch.ones_like(x(2))", "torch.zeros_like(x(2,3).t(), dtype=torch.int64)", "x(2).new_zeros(3, 2)",
        "x(2).new_full((2,), 3)", "x(2).new_ones((2,), dtype=torch.int32)", "x(2).new_tensor([1, 2])",
        "torch.scalar_tensor(3)",
    ],
    "arange": [
        "torch.arange(5)", "torch.arange(1, 2, 0.25)", "torch.arange(5, 1, -1.5)",
        "torch.arange(0.5, 3, dtype=torch.int64)", "torch.arange(1, 5, 2, dtype=torch.float64)",
        "torch.arange(5.)", "torch.arange(0, 1, 0.1)", "torch.arange(3, 3)", "torch.arange(10, 0, -3)",
        "torch.arange(end=4)", "torch.arange(0, 100, 7, dtype=torch.int32)",
    ],
    "linspace": [
        "torch.linspace(0, 1, 5)", "torch.linspace(0, 10, 4, dtype=torch.int64)", "torch.linspace(1, 1, 1)",
        "torch.linspace(3, -3, 8, dtype=torch.float64)", "torch.linspace(0, 1, 0)",
        "torch.linspace(0, 1j, 3)", "torch.logspace(0, 1, 3)",
        "torch.logspace(0, 3, 4, 2, dtype=torch.int64)", "torch.logspace(-1, 1, 5, dtype=torch.float64)",
    ],
    "window": [
        f"torch.{name}_window({args})"
        for name in ("hann", "hamming", "blackman", "bartlett", "kaiser")
        for args in ("5", "6, False", "1", "0", "4, dtype=torch.float64")
    ],
    "tensor": [
        "torch.tensor([1, 2.])", "torch.tensor([[1, 2], [3, 4]], dtype=torch.float64)", "torch.tensor([])",
        "torch.tensor([[], []])", "torch.tensor([True, 2])", "torch.tensor(1j)",
        "torch.tensor([torch.tensor(1), 2.5])", "torch.tensor(-1, dtype=torch.uint8)",
        "torch.tensor([0.5], dtype=torch.bool)", "torch.as_tensor([1, 2])",
        "torch.asarray([1., 2.], dtype=torch.float64)", "torch.tensor(range(3))",
        "torch.tensor([(1, 2), (3, 4)])", "torch.tensor(1e40)", "torch.tensor([[], 1])",
    ],
}

SPECIAL = {
    "polar": ["torch.polar(t([0., 1., -1.]), t([1., 2., 3.]))"],
}

ERRORS = {
    "tril": ["torch.tril(x(2))", "torch.triu(x())"],
    "diag_embed": [
        "torch.diag_embed(x())", "torch.diag_embed(x(2), 0, 0, 0)", "torch.diag_embed(x(2), 0, 3, 0)",
        "torch.diag(x(2,2,2))", "torch.diag(x())",
    ],
    "complex": [
        "torch.complex(i(3,2), i(3,2))", "torch.complex(x(2), i(3,2))",
        "torch.complex(x(2), x(2).double())", "torch.polar(i(3,2), i(3,2))",
    ],
    "vander": ["torch.vander(x(2,2))", "torch.vander(x(2), -1)"],
    "eye": [
        "torch.eye(-1)", "torch.eye(2, -1)", "torch.eye(2.5)", "torch.tril_indices(-1, 2)",
        "torch.triu_indices(2, 3, dtype=torch.float32)",
    ],
    "full": [
        "torch.full((2,), 300, dtype=torch.uint8)", "torch.full((2,), 1j, dtype=torch.float32)",
        "torch.full(2, 3)", "torch.full((-1,), 3)", "torch.full((2,), 'a')", "torch.zeros(-1)",
        "torch.ones(2, -3)", "torch.zeros()", "torch.zeros(2.)", "torch.zeros('a')",
        "torch.zeros(2, dtype=torch.int64, requires_grad=True)", "torch.zeros(2, dtype='float')",
        "torch.zeros_like([1])", "x(2).new_full(3, 2)", "torch.full((2,), 2**70)",
    ],
    "arange": [
        "torch.arange(5, 1)", "torch.arange(0, 5, 0)", "torch.arange(0, inf)",
        "torch.arange(0, 3, dtype=torch.bool)", "torch.arange(0, 3, 0.5, dtype=torch.int64)",
        "torch.arange(start=1)", "torch.arange('a')", "torch.arange(3, requires_grad=True)",
        "torch.arange(0, 1j)",
    ],
    "linspace": [
        "torch.linspace(0, 1, -1)", "torch.linspace(0, 1, 5, dtype=torch.bool)",
        "torch.linspace(x(1), 2, 3)", "torch.logspace(0, 1, -1)",
    ],
    "window": ["torch.hann_window(-1)", "torch.kaiser_window(-1)"],
    "tensor": [
        "torch.tensor([1, [2]])", "torch.tensor([[1], 2])", "torch.tensor([[1, 2], [3]])",
        "torch.tensor('a')", "torch.tensor(['a'])", "torch.tensor(None)", "torch.tensor([1, None])",
        "torch.tensor([1, 'a'])", "torch.tensor(2**70)", "torch.tensor(300, dtype=torch.uint8)",
        "torch.tensor([1j], dtype=torch.float32)", "torch.tensor(nan, dtype=torch.int64)",
        "torch.tensor([1], dtype=torch.int64, requires_grad=True)", "torch.tensor([x(2), x(2)])",
        "torch.tensor({})", "torch.tensor([None], dtype=torch.float32)", "torch.asarray([1.], copy=False)",
        "torch.from_numpy([1])",
    ],
}
