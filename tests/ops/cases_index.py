"""Indexing, gather, scatter, masks, searches: torchlike/_ops/indexing/by_tensors.py, scatter.py, search.py, replace.py."""

I3 = "torch.tensor([0, 2])"
WRITE = "(lambda a, v: (a.__setitem__({index}, v), a)[1])({base}, {value})"


def write(base, index, value):
    """``base[index] = value`` as an expression whose value is the base."""
    return WRITE.format(base=f"({base}) * 1", index=index, value=value)


CASES = {
    "index.Tensor": [
        f"x(3,4)[{I3}]", f"x(3,4)[:, {I3}]", f"x(3,4,2)[{I3}, {I3}]", f"x(3,4,3)[{I3}, :, {I3}]",
        f"x(3,4)[1, {I3}]", "x(3,4)[[0,0,2]]", "x(3,4)[[[0],[1]], [0,1]]", "x(3,4)[torch.tensor([-1, 1])]",
        "x(3)[b(3)]", "x(3,4)[b(3,4)]", "x(3,4)[:, b(4)]", "x(3,4)[True]", "x(3,4)[False]",
        "x(3,4)[..., [1,2]]", "x(3,4)[None, [1,2]]", "x(3,4)[[]]", "x(3,4)[torch.tensor([[0,1],[2,2]])]",
        "x(2,3)[range(2), :2]", "x(3,4)[torch.tensor([1], dtype=torch.int32)]", "x(3,4)[1:, [0,3]]",
        "x(4,3,2)[[1,2], 0]", "x(3,4)[0]", "x(3,4)[1:3, ::2]", "x(3,4)[..., -1]", "x(3,4)[None]",
        "x(3,4)[:, None, 1]", "x()[...]", "x()[None]", "x(3,4)[torch.tensor(1)]", "x(3,4)[()]", "x(3)[-2:]",
        "x(3)[3:1]", "x(3)[5:]",
    ],
    "index_put": [
        "x(3,4).index_put((torch.tensor([0,2]),), x(4))",
        "x(3,4).index_put((torch.tensor([0,0]),), x(2,4), True)",
        "x(3,4).index_put((torch.tensor([0,2]), torch.tensor([1,1])), x(2))",
        "x(3).index_put((torch.tensor([-1]),), x(1))", "x(3,4).index_put((b(3,4),), x())",
        "x(3,4).index_put((b(3),), x(1), True)",
        "torch.index_put(x(3,4), (torch.tensor([[0,1],[2,1]]), torch.tensor([0,3])), x(2,2), True)",
        write("x(3,4)", "0", "x(4)"), write("x(3,4)", "[0,2]", "x(4)"),
        write("x(3,4)", "(1, [0,2])", "x(2)"), write("x(3,4)", "b(3)", "x(1)"),
        write("x(3,4)", "slice(1,3)", "2"), write("x(3,4)", "b(3,4)", "1"),
        write("x(3,4)", "(slice(None), [1,1])", "3"), write("x(3,4)", "...", "x(4)"),
        write("x(3,4)", "True", "1"), write("x(3,4)", "0", "x(1,1,4)"), write("x(3,4)", "False", "1"),
        write("x(3,4)", "(0, [])", "1"),
    ],
    "index_select": [
        "x(3,4).index_select(0, torch.tensor([0,0,2]))",
        "torch.index_select(x(3,4), -1, torch.tensor([3]))", "x().index_select(0, torch.tensor([0]))",
        "x(3,4).index_select(1, torch.tensor([], dtype=torch.int64))",
        "x(3).index_select(0, torch.tensor(1))", "x(3,4).index_select(0, i(3,5).int())",
    ],
    "index_add": [
        "x(3,4).index_add(0, torch.tensor([0,2]), x(2,4))",
        "x(3,4).index_add(1, torch.tensor([1,1]), x(3,2))",
        "x(3).index_add(0, torch.tensor([1]), x(1), alpha=2)", "x().index_add(0, torch.tensor([0]), x())",
        "(x(3)*1).index_add_(-1, torch.tensor([0,0,0,1]), x(4))",
    ],
    "index_copy": [
        "x(3,4).index_copy(0, torch.tensor([0,2]), x(2,4))",
        "x(3,4).index_copy(-1, torch.tensor([1]), x(3,1))", "x(3).index_copy(0, torch.tensor(1), x())",
        "x().index_copy(0, torch.tensor([0]), x())",
    ],
    "index_fill.int_Scalar": [
        "x(3,4).index_fill(0, torch.tensor([0,-1]), 2)", "x(3,4).index_fill(1, torch.tensor(1), 1)",
        "x().index_fill(0, torch.tensor([0]), 2)",
    ],
    "index_fill.int_Tensor": [
        "x(3,4).index_fill(0, torch.tensor([0,2,0]), x())", "x(3,4).index_fill(1, torch.tensor(1), x())",
    ],
    "index_reduce": [
        f"x(3,2).index_reduce(0, torch.tensor([0,2,0]), pos(3,2), '{r}', include_self={s})"
        for r in ("prod", "mean", "amax", "amin")
        for s in (True, False)
    ],
    "gather": [
        "x(3,4).gather(0, i(3,2,4))", "x(3,4).gather(1, i(4,3,6))", "torch.gather(x(3,4), -1, i(4,2,1))",
        "x().gather(0, torch.tensor(0))", "x(3).gather(0, torch.tensor(1))",
        "x(3,4,2).gather(1, i(4,2,5,2))", "x(3,4).gather(0, torch.zeros(0, dtype=torch.int64))",
        "x(3,4).gather(1, i(4,3,1).int())", "torch.take_along_dim(x(3,4), i(4,3,1), 1)",
        "torch.take_along_dim(x(3,4), i(12,5))", "torch.take_along_dim(x(3,1), i(3,1,4), 0)",
    ],
    "scatter.src": [
        "x(3,4).scatter(0, torch.tensor([[0,1,2,0]]), x(1,4))",
        "x(3,4).scatter(1, torch.tensor([[0,2],[1,3]]), x(2,2))",
        "torch.scatter(x(3), 0, torch.tensor([2,0]), x(2))", "x().scatter(0, torch.tensor(0), x())",
        "(x(3,4)*1).scatter_(1, torch.tensor([[1],[0],[3]]), x(3,1))",
        "x(3,4).scatter(0, torch.zeros(0, dtype=torch.int64), x(1))",
    ],
    "scatter.value": [
        "x(3,4).scatter(1, i(4,3,1), 2)", "x(3,4).scatter(0, torch.tensor([[0,1]]), 1)",
        "x(3).scatter(0, torch.tensor([0,0]), value=3)",
    ],
    "scatter.reduce": [
        "x(3,4).detach().scatter(0, i(3,2,4), x(2,4).detach(), reduce='add')",
        "x(3,4).detach().scatter(1, i(4,3,3), x(3,3).detach(), reduce='multiply')",
    ],
    "scatter.value_reduce": [
        "x(3,4).detach().scatter(0, i(3,2,4), 2, reduce='add')",
        "x(3,4).detach().scatter(1, i(4,3,3), 3, reduce='multiply')",
    ],
    "scatter_add": [
        "x(3,4).scatter_add(0, i(3,2,4), x(2,4))", "x(3,4).scatter_add(1, i(4,3,5), x(3,5))",
        "x(3,4).scatter_add(1, i(4,2,1), x(2,1))", "(x(3)*1).scatter_add_(0, torch.tensor([0,0]), x(2))",
    ],
    "scatter_reduce.two": [
        *[f"x(3,4).scatter_reduce(1, torch.tensor([[0,0,1],[3,3,3]]), x(2,3), '{r}', include_self={s})"
          for r in ("sum", "prod", "mean", "amax", "amin") for s in (True, False)],
        "x(3).scatter_reduce(0, torch.zeros(0, dtype=torch.int64), x(0), 'amax')",
        "x(2,3).scatter_reduce(1, i(3,2,1), x(2,1), 'mean')",
    ],
    "take": [
        "x(3,4).take(torch.tensor([[0,5],[11,-1]]))", "torch.take(x(3), torch.tensor(1))",
        "x(0).take(torch.zeros(0, dtype=torch.int64))",
    ],
    "put": [
        "x(3,4).put(torch.tensor([0,5]), x(2))",
        "x(3,4).put(torch.tensor([[1],[1]]), x(2,1), accumulate=True)",
        "(x(3)*1).put_(torch.tensor([2]), x(1))",
    ],
    "masked_select": [
        "x(3,4).masked_select(b(3,4))", "x(3,4).masked_select(b(4))", "x(4).masked_select(b(3,1))",
        "x().masked_select(torch.tensor(True))", "torch.masked_select(x(2), torch.tensor([False, False]))",
    ],
    "masked_scatter": [
        "x(3,4).masked_scatter(b(3,4), x(12))", "x(3,4).masked_scatter(b(4), x(3,4))",
        "x(4).masked_scatter(b(3,4), x(12))",
        "(x(3)*1).masked_scatter_(torch.tensor([True,False,True]), x(2))",
    ],
    "select_scatter": ["x(3,4).select_scatter(x(4), 0, 1)", "torch.select_scatter(x(3,4), x(3), -1, -1)"],
    "slice_scatter": [
        "x(3,4).slice_scatter(x(2,4), 0, 1)", "torch.slice_scatter(x(3,4), x(3,2), 1, 0, 4, 2)",
    ],
    "diagonal_scatter": ["x(3,4).diagonal_scatter(x(3))", "torch.diagonal_scatter(x(3,4), x(2), -1)"],
    "nonzero": [
        "torch.nonzero(x(3,4))", "torch.nonzero(b(3,4), as_tuple=True)", "torch.nonzero(torch.tensor(1.))",
        "torch.argwhere(b(3))", "torch.nonzero(torch.tensor(0.), as_tuple=True)",
    ],
    "bincount": [
        "torch.bincount(i(5,10))", "torch.bincount(i(5,10), minlength=8)",
        "torch.bincount(i(3,4), x(4).detach())", "torch.bincount(torch.zeros(0, dtype=torch.int64))",
    ],
    "searchsorted.Tensor": [
        "torch.searchsorted(torch.tensor([1,3,5]), i(7,4))",
        "torch.searchsorted(torch.tensor([1,3,5]), i(7,4), right=True)",
        "torch.searchsorted(torch.tensor([[1,3,5],[2,4,6]]), i(7,2,4))",
        "torch.searchsorted(torch.tensor([1.,3.]), 2)",
        "torch.searchsorted(torch.tensor([5,3,1]), i(7,3), sorter=torch.tensor([2,1,0]))",
        "torch.searchsorted(torch.tensor([1,3,5]), 3, side='right', out_int32=True)",
        "torch.searchsorted(torch.zeros(0), 1.)",
    ],
    "bucketize.Tensor": [
        "torch.bucketize(x(5).detach().real, torch.tensor([-1., 0., 1.]))",
        "torch.bucketize(3, torch.tensor([1,3,5]), right=True)",
    ],
    "isin.Tensor_Tensor": [
        "torch.isin(i(9,5), i(9,3))", "torch.isin(i(50,5), i(50,40))",
        "torch.isin(i(4,2,3), 2, invert=True)", "torch.isin(2, i(4,3))",
    ],
    "histc": [
        "torch.histc(unit(20), 5, -1, 1)", "torch.histc(torch.tensor([1.,2.,3.]), 4)",
        "torch.histc(torch.ones(3), 4)", "torch.histc(torch.zeros(0), 3)",
    ],
}

SPECIAL = {
    "scatter.src": ["t([1.,2.,3.]).scatter(0, torch.tensor([1,1]), t([5.,5.]))"],
    "scatter_reduce.two": [
        "t([0.,2.,3.]).scatter_reduce(0, torch.tensor([0,0,1]), t([1.,2.,0.]), 'prod')",
        "t([1.,2.,3.]).scatter_reduce(0, torch.tensor([0,0,1]), t([0.,2.,0.]), 'prod')",
        "t([1.,2.,3.]).scatter_reduce(0, torch.tensor([0,0,1]), t([0.,0.,0.]), 'prod')",
        "t([1.,2.,3.]).scatter_reduce(0, torch.tensor([0,0,1]), t([1.,1.,2.]), 'amax')",
        "t([1.,2.,3.]).scatter_reduce(0, torch.tensor([0,0,1]), t([1.,1.,2.]), 'amin', include_self=False)",
        "t([1.,nan,3.]).scatter_reduce(0, torch.tensor([0,1]), t([nan,1.]), 'amax')",
    ],
    "index.Tensor": ["t([1.,2.,3.])[[0,0,0]]"],
    "index_put": ["t([1.,2.,3.]).index_put((torch.tensor([1,1]),), t([5.,5.]))"],
    "searchsorted.Tensor": ["torch.searchsorted(t([1.,nan]), t([nan,2.]))"],
    "index_reduce": ["t([0.,2.]).index_reduce(0, torch.tensor([0,0,1]), t([0.,2.,3.]), 'prod')"],
}

ERRORS = {
    "index.Tensor": [
        "x(3,4)[3]", "x(3,4)[0,4]", "x(3,4)[-4]", "x(3,4)[0,1,2]", "x(3,4)[::-1]", "x(3,4)[::0]",
        "x(3,4)[1.0]", "x(3,4)[0,'a']", "x(3,4)[torch.tensor([5])]", "x(3,4)[[0],[-5]]",
        "x(3,4)[torch.tensor([True,False])]", "x(3,4)[[0,1],[0,1,2]]", "x()[0]", "x()[:]", "x(3,4)[x(2)]",
        "x(0,3)[torch.tensor([0])]", "x(3,4)[2**70]", "x(3,4)[1.5:2]", "x(3,4)[{}]",
        "x(3,4,5)[..., b(3,4)]", "x(3,4)[torch.tensor([0], dtype=torch.int16)]",
    ],
    "index_put": [
        write("x(3,4)", "0", "x(2)"), write("x(3,4)", "[0,2]", "x(2)"),
        write("x(3,4)", "[0,2]", "x(4).double()"), write("x(3,4)", "0", "[1,2]"),
        write("x(3,4)", "0", "'a'"), write("x(3,4)", "[0,1]", "1j"), write("x(3,4)", "3", "1"),
        write("x(3,4)", "[5]", "1"), write("x(3,4)", "torch.tensor([True,False])", "1"),
        write("x(3,4)", "[0]", "torch.tensor(1)"), "x(3,4).index_put(torch.tensor([0]), x(4))",
        "x(3,4).index_put((i(2,2),i(2,2),i(2,2)), x(2))",
        "x(3,4).index_put((torch.tensor([True,True,True]),), x(5))",
    ],
    "index_select": [
        "x(3,4).index_select(0, torch.tensor([3]))", "x(3,4).index_select(0, torch.tensor([-1]))",
        "x(3,4).index_select(0, torch.tensor([[0]]))", "x(3,4).index_select(0, x(2))",
        "x(3,4).index_select(2, torch.tensor([0]))", "x().index_select(0, torch.tensor([0,0]))",
    ],
    "index_add": [
        "x(3,4).index_add(0, torch.tensor([0,2]), x(2,3))",
        "x(3,4).index_add(0, torch.tensor([0,2]), x(3,4))",
        "x(3,4).index_add(0, torch.tensor([0,2]), x(2,4).double())",
        "x(3,4).index_add(0, torch.tensor([0,3]), x(2,4))", "x(3,4).index_add(0, x(2), x(2,4))",
        "x(3,4).index_add(0, torch.tensor([[0,1]]), x(2,4))",
    ],
    "index_copy": [
        "x(3,4).index_copy(0, torch.tensor([0,2]), x(2,3))",
        "x(3,4).index_copy(0, torch.tensor([0,2]), x(3,4))",
        "x(3,4).index_copy(0, torch.tensor([0,3]), x(2,4))",
        "x(3,4).index_copy(0, torch.tensor([0,2]).int(), x(2,4))",
    ],
    "index_fill.int_Scalar": [
        "x(3,4).index_fill(0, torch.tensor([3]), 2)", "x(3,4).index_fill(0, torch.tensor([0]).int(), 2)",
        "x(3,4).index_fill(0, torch.tensor([[0]]), 2)", "x(3,4).index_fill(0, torch.tensor([0]), 2j)",
    ],
    "index_fill.int_Tensor": ["x(3,4).index_fill(0, torch.tensor([0]), x(2))"],
    "index_reduce": ["x(3,4).index_reduce(0, torch.tensor([0]), x(1,4), 'foo')"],
    "gather": [
        "x(3,4).gather(0, torch.tensor([1,2]))", "x(3,4).gather(0, x(1,1))",
        "x(3,4).gather(0, torch.tensor([[3]]))", "x(3,4).gather(0, torch.tensor([[-1]]))",
        "x(3,4).gather(1, i(3,4,4))", "x(3,4).gather(2, torch.tensor([[0]]))",
        "torch.take_along_dim(x(3,4), torch.tensor([1,2]), 0)", "torch.take_along_dim(x(3,4), x(1,2), 0)",
    ],
    "scatter.src": [
        "x(3,4).scatter(0, torch.tensor([[0]]), x(1,1).double())",
        "x(3,4).scatter(0, torch.tensor([[3]]), x(1,1))", "x(3,4).scatter(0, torch.tensor([0]), x(1))",
        "x(3,4).scatter(0, torch.tensor([[0,1]]), x(1,1))", "x(3,4).scatter(0, x(1,1), x(1,1))",
        "x(3).scatter(0, torch.tensor([0]), x(2)).sum().backward()",
    ],
    "scatter.value": [
        "x(3,4).scatter(1, i(1,4,1), 1)", "x(3,4).scatter(0, torch.tensor([[-1]]), 1)",
        "x(3,4).scatter(0, torch.tensor([[0]]), 1j)",
    ],
    "scatter.reduce": [
        "x(3).scatter(0, torch.tensor([0]), x(1), reduce='foo')",
        "x(3).scatter(0, torch.tensor([0]), x(1), reduce='add').sum().backward()",
    ],
    "scatter_add": [
        "x(3,4).scatter_add(0, torch.tensor([[0,0]]), x(1,1))",
        "x(3,4).scatter_add(0, torch.tensor([[5]]), x(1,2))",
    ],
    "scatter_reduce.two": ["x(3,4).scatter_reduce(0, torch.tensor([[0]]), x(1,1), 'foo')"],
    "take": ["x(3,4).take(torch.tensor([12]))", "x(3,4).take(x(2))", "x(0).take(torch.tensor([0]))"],
    "put": [
        "x(3,4).put(torch.tensor([0,1]), x(3))", "x(3,4).put(torch.tensor([12]), x(1))",
        "x(3,4).put(torch.tensor([0]), x(1).double())",
    ],
    "masked_select": ["x(3,4).masked_select(x(4))", "x(3,4).masked_select(b(3))"],
    "masked_scatter": [
        "x(3,4).masked_scatter(x(3,4), x(2))", "x(3).masked_scatter(torch.tensor([True,True,True]), x(2))",
        "x(3).masked_scatter(b(3), x(3).double())",
    ],
    "bincount": [
        "torch.bincount(torch.tensor([-1]))", "torch.bincount(x(2))", "torch.bincount(torch.tensor([[1]]))",
        "torch.bincount(i(3,2), minlength=-1)", "torch.bincount(i(3,2), x(3))",
    ],
    "searchsorted.Tensor": [
        "torch.searchsorted(i(3,3), 3, side='left', right=True)", "torch.searchsorted(i(3,3), 3, side='x')",
        "torch.searchsorted(i(3,2,3), i(3,2))", "torch.searchsorted(i(3,2,3), 3)",
        "torch.searchsorted(torch.tensor(1), i(3,1))",
        "torch.searchsorted(i(3,3), i(3,1), sorter=torch.tensor([2,1]))",
        "torch.searchsorted(i(3,3), i(3,1), sorter=torch.tensor([2,1,5]))",
    ],
    "bucketize.Tensor": ["torch.bucketize(i(3,2), i(3,1,3))"],
    "isin.Tensor_Tensor": ["torch.isin(x(3), b(3))", "torch.isin(x(3), c(3))"],
    "histc": ["torch.histc(i(3,3), 4)", "torch.histc(x(3), 0)", "torch.histc(x(3), 4, 3, 2)"],
}
