"""Reductions."""

_DIMS = ("", ", 0", ", -1, True", ", dim=(0, 1)", ", dim=None, keepdim=True")


def _over(name, dims=_DIMS, inputs="x(3, 4)"):
    return [f"torch.{name}({inputs}{d})" for d in dims]


_ONE_DIM = ("", ", 0", ", -1, True", ", dim=1")
_MOMENT = (
    "",
    ", 1",
    ", (0, 1)",
    ", dim=0, keepdim=True",
    ", correction=0",
    ", dim=1, correction=2",
    ", unbiased=False",
    ", False",
    ", 1, True, True",
    ", axis=0",
)

_ORDERS = ("2", "1", "0", "inf", "-inf", "3", "0.5", "1.5")

CASES = {
    "sum": ["torch.sum(x(3, 4))", "x().sum()", "x(0, 2).sum()", "torch.sum(x(2), dtype=torch.float64)"],
    "sum.dim_IntList": [
        *_over("sum", _DIMS[1:]),
        "x(3, 4).sum(0, True)",
        "x(2, 3, 4).sum((0, -1))",
        "x(0, 2).sum(0)",
        "x().sum(0)",
        "x(2, 3).sum(axis=1)",
        "x(2, 3).sum(1, dtype=torch.float32)",
        "x(2, 3).sum([])",
    ],
    "mean": ["torch.mean(x(3, 4))", "x().mean()", "torch.mean(x(2), dtype=torch.float64)"],
    "mean.dim": [
        *_over("mean", _DIMS[1:]),
        "x(2, 3, 4).mean((0, -1))",
        "x(2, 3).mean(axis=1)",
        "x().mean(0)",
    ],
    "prod": ["torch.prod(x(3, 4))", "x().prod()", "x(0).prod()", "torch.prod(x(2), dtype=torch.float64)"],
    "prod.dim_int": ["torch.prod(x(3, 4), 1)", "x(3, 4).prod(0, True)", "x(2, 0).prod(dim=1)", "x().prod(0)"],
    "max": ["torch.max(x(3, 4))", "x().max()", "x(1).max()"],
    "max.dim": [
        "torch.max(x(3, 4), 1)",
        "x(3, 4).max(dim=0, keepdim=True)",
        "x(2, 3, 4).max(-2)",
        "x().max(0)",
        "x(0, 2).max(1)",
        "x(2, 3).max(axis=1)",
        "x(2, 3).max(axis=1, keepdims=True)",
        "torch.max(x(3, 4), 1).values",
        "x(3).max(0)[1]",
    ],
    "min": ["torch.min(x(3, 4))", "x().min()", "x(1).min()"],
    "min.dim": [
        "torch.min(x(2, 3), dim=1, keepdims=True)",
        "torch.min(x(3, 4), 1)",
        "x(3, 4).min(dim=0, keepdim=True)",
        "x(2, 3, 4).min(-2)",
        "x().min(0)",
    ],
    "amax": [*_over("amax", _DIMS[:4]), "x().amax()", "x(2, 3, 4).amax((0, 2))"],
    "amin": [*_over("amin", _DIMS[:4]), "x().amin()", "x(2, 3, 4).amin((0, 2))"],
    "aminmax": [
        "torch.aminmax(x(3, 4))",
        "x(3, 4).aminmax(dim=0)",
        "x(3, 4).aminmax(dim=-1, keepdim=True)",
        "x().aminmax()",
    ],
    "argmax": [*_over("argmax", _ONE_DIM), "x(3, 4).argmax(keepdim=True)", "x().argmax()"],
    "argmin": [*_over("argmin", _ONE_DIM), "x(3, 4).argmin(keepdim=True)", "x().argmin()"],
    "any": ["torch.any(x(3, 4))", "x().any()", "x(0).any()"],
    "any.dims": [
        "torch.any(x(3, 4), 0)",
        "x(3, 4).any(-1, True)",
        "x(3, 4).any(dim=(0, 1))",
        "x(2, 3).any(dim=())",
    ],
    "all": ["torch.all(x(3, 4))", "x().all()", "x(0).all()"],
    "all.dims": ["torch.all(x(3, 4), 0)", "x(3, 4).all(-1, True)", "x(3, 4).all(dim=(0, 1))"],
    "count_nonzero": [
        "torch.count_nonzero(x(3, 4))",
        "x(3, 4).count_nonzero(0)",
        "x(3, 4).count_nonzero(dim=(0, 1))",
    ],
    "nansum": [*_over("nansum"), "x().nansum()"],
    "nanmean": _over("nanmean"),
    "logsumexp": [
        "torch.logsumexp(x(3, 4), 1)",
        "x(3, 4).logsumexp((0, 1))",
        "x(3, 4).logsumexp(0, True)",
        "x().logsumexp(0)",
        "x(0, 2).logsumexp(0)",
    ],
    "var.correction": _over("var", _MOMENT),
    "std.correction": _over("std", _MOMENT),
    "var_mean.correction": _over("var_mean", _MOMENT[:6]),
    "std_mean.correction": _over("std_mean", _MOMENT[:6]),
    "linalg_vector_norm": [
        *(f"torch.linalg.vector_norm(x(3, 4), {p}, 1)" for p in _ORDERS),
        "torch.linalg.vector_norm(x(3, 4))",
        "torch.linalg.vector_norm(x())",
        "torch.linalg.vector_norm(x(2, 3, 4), 3, (0, 2), True)",
        "torch.linalg.vector_norm(x(0, 2), 2, 0)",
        "torch.linalg.vector_norm(x(3), dtype=torch.float64)",
    ],
    "norm": [
        "torch.norm(x(3, 4))",
        "x(3, 4).norm(1)",
        "x(3, 4).norm(2, 0, True)",
        "torch.norm(x(3, 4), p='fro', dim=(0, 1))",
        "x(3).norm(p=inf)",
        "torch.norm(x(3, 4), dim=[1])",
    ],
    "linalg_matrix_norm": [
        *(f"torch.linalg.matrix_norm(x(2, 3, 4), {p})" for p in ("'fro'", "inf", "-inf", "1", "-1")),
        "torch.linalg.matrix_norm(x(2, 3, 4), 1, (0, 2), True)",
        "torch.linalg.matrix_norm(x(3, 4), dtype=torch.float64)",
    ],
    "linalg_norm": [
        "torch.linalg.norm(x(3, 4))",
        "torch.linalg.norm(x(3, 4), 1)",
        "torch.linalg.norm(x(3), 3)",
        "torch.linalg.norm(x(2, 3, 4), inf, (0, 1))",
        "torch.linalg.norm(x(2, 3, 4), 2, 1, True)",
    ],
    "renorm": ["torch.renorm(x(3, 4), 2, 0, 0.5)", "x(2, 3, 2).renorm(1, 1, 1.0)", "x(2, 2).renorm(3, -1, 9)"],
    "dist": [
        "torch.dist(x(3, 4), x(4))",
        "torch.dist(x(3), x(3), 1)",
        "x(3).dist(x(3), 3)",
        "torch.dist(x(3), x(3), inf)",
    ],
    "median": ["torch.median(x(3, 4))", "x(5).median()", "x().median()"],
    "median.dim": ["torch.median(x(3, 4), 1)", "x(3, 4).median(dim=0, keepdim=True)", "x().median(0)"],
    "nanmedian": ["torch.nanmedian(x(3, 4))", "x(5).nanmedian()"],
    "nanmedian.dim": ["torch.nanmedian(x(3, 4), 1)", "x(3, 4).nanmedian(dim=0, keepdim=True)"],
    "mode": [
        "torch.mode(x(3, 4))[0]",
        "i(3, 3, 7).mode(1)[0]",
        "i(3, 7).mode(keepdim=True)[0]",
        "x().mode()",
    ],
    "quantile": [
        "torch.quantile(x(3, 4), 0.3)",
        "x(3, 4).quantile(0.5, dim=1)",
        "x(3, 4).quantile(0.5, dim=0, keepdim=True)",
        "torch.quantile(x(3, 4), torch.tensor([0.1, 0.6], dtype=dtype), dim=1)",
        *(
            f"torch.quantile(x(3, 4), 0.4, dim=1, interpolation='{how}')"
            for how in ("lower", "higher", "nearest", "midpoint")
        ),
        "torch.quantile(x(3, 4), torch.tensor([0.1, 0.6], dtype=dtype), keepdim=True)",
        "x().quantile(0.5)",
    ],
    "nanquantile": ["torch.nanquantile(x(3, 4), 0.3)", "x(3, 4).nanquantile(0.5, dim=1)"],
}

SPECIAL = {
    "max": ["t([1., 1., 0., 0.]).max()", "t([1., nan, 0., nan]).max()"],
    "min": ["t([1., 1., 0., 0.]).min()", "t([1., nan, 0.]).min()"],
    "max.dim": ["t([[1., 1., 0., 0.], [1., nan, nan, 0.]]).max(1)"],
    "min.dim": ["t([[1., 1., 0., 0.], [1., nan, nan, 0.]]).min(1)"],
    "amax": ["t([1., 1., 0., 0.]).amax()", "t([[1., 1., 0.], [2., 3., 3.]]).amax(1)", "t([1., nan]).amax()"],
    "amin": ["t([1., 0., 0., 0.]).amin()"],
    "aminmax": ["t([1., 1., 0., 0., 0.]).aminmax()"],
    "argmax": ["t([1., 1., 0., 0.]).argmax()", "t([1., nan, nan]).argmax()"],
    "argmin": ["t([1., 1., 0., 0.]).argmin()", "t([1., nan, nan]).argmin()"],
    "prod": ["t([0., 2., 3.]).prod()", "t([0., 0., 3.]).prod()", "t([[0., 2., 3.], [1., 2., 3.]]).prod(1)"],
    "var.correction": ["t([1., 1., 1.]).var()", "t([2.]).var()", "t([1., 2.]).var(correction=5)"],
    "std.correction": ["t([1., 1., 1.]).std()", "t([2.]).std()", "t([[1., 1.], [1., 2.]]).std(1)"],
    "std_mean.correction": ["torch.std_mean(t([1., 1., 1.]))"],
    "linalg_vector_norm": [
        f"torch.linalg.vector_norm(t({data}), {p})"
        for p in ("2", "1", "0", "inf", "-inf", "3", "0.5", "1.5")
        for data in ("[0., 0., 0.]", "[1., -1., 0.]")
    ],
    "dist": ["torch.dist(t([0., 1.]), t([0., 1.]))", "torch.dist(t([0., 1.]), t([0., 1.]), 1)"],
    "logsumexp": ["t([-inf, -inf]).logsumexp(0)", "t([inf, 1.]).logsumexp(0)", "t([-inf, 1.]).logsumexp(0)"],
    "nansum": ["t([nan, 1., 2.]).nansum()"],
    "nanmean": ["t([[nan, 1., 2.], [nan, nan, nan]]).nanmean(1)"],
    "median": ["t([1., 1., 2., 2.]).median()", "t([1., nan, 2.]).median()"],
    "nanmedian": ["t([1., nan, 2.]).nanmedian()", "t([nan, nan]).nanmedian()"],
    "quantile": ["t([1., nan, 2.]).quantile(0.5)", "t([1., 1., 2., 2.]).quantile(0.5)"],
    "nanquantile": ["t([1., nan, 2.]).nanquantile(0.5)"],
}

ERRORS = {
    "linalg_matrix_norm": [
        "torch.linalg.matrix_norm(x(2))",
        "torch.linalg.matrix_norm(x(2, 2), 3)",
        "torch.linalg.norm(x(2, 2, 2), 1)",
        "torch.linalg.matrix_norm(x(2, 2), 'fro', (0, 0))",
    ],
    "renorm": ["torch.renorm(x(2), 2, 0, 1.0)", "torch.renorm(x(2, 2), -1, 0, 1.0)"],
    "sum.dim_IntList": ["x(2).sum(1)", "x(2, 3).sum((0, -2))"],
    "mean": ["torch.mean(i(3, 2))", "torch.mean(x(2), dtype=torch.int64)"],
    "max": ["x(0).max()", "torch.max(c(2))"],
    "max.dim": ["x(0, 2).max(0)", "x(2).max(3)", "torch.max(c(2, 2), 1)"],
    "amax": ["x(0, 2).amax(0)", "x(0).amax()", "x(2, 2).amax((0, 0))"],
    "aminmax": ["x(0).aminmax()", "x(0, 2).aminmax(dim=0)"],
    "argmax": ["x(0).argmax()", "x(0, 2).argmax(0)", "b(2).argmax()"],
    "var.correction": ["i(3, 2).var()", "torch.std(i(3, 2))"],
    "linalg_vector_norm": [
        "torch.linalg.vector_norm(i(3, 2))",
        "torch.linalg.vector_norm(x(0), inf)",
        "torch.linalg.vector_norm(x(2), dtype=torch.int64)",
    ],
    "norm": ["torch.norm(x(2, 2), p='x')"],
    "median": ["torch.median(b(2))", "x(0, 2).median(0)"],
    "nanmean": ["torch.nanmean(i(3, 2))"],
    "quantile": ["torch.quantile(i(3, 2), 0.5)", "torch.quantile(x(2), 2.)"],
}
