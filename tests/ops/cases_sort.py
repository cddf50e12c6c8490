"""Sorting, order statistics and unique: torchlike/_ops/indexing/sorting.py, torchlike/_api/unique.py."""

CASES = {
    "sort": [
        "torch.sort(x(3,5))", "x(5).sort(descending=True)", "torch.sort(x(3,4), 0)", "x(3,4).sort(axis=0)[0]", "torch.sort(x())",
        "torch.sort(x(2,0))", "torch.sort(x(2,3,4), 1, True)", "torch.msort(x(4,2))", "torch.msort(x())",
    ],
    "sort.stable": ["torch.sort(x(3,5), stable=True)", "x(4,3).sort(stable=True, dim=0, descending=True)"],
    "argsort": [
        "torch.argsort(torch.randperm(6, generator=torch.Generator().manual_seed(0)))",
        "x(5).argsort(descending=True, stable=True)", "torch.argsort(x(3,4), stable=True, dim=0)",
    ],
    "topk": [
        "torch.topk(torch.arange(7.).to(dtype), 3)", "x(3,5).topk(2)[0]", "x(5).topk(3, largest=False)[0]",
        "torch.topk(x(4,3), 2, 0)[0]", "torch.topk(x(4), 0)", "torch.topk(x(), 1)",
        "torch.topk(x(3,4), 4, -1, True, False)[0].sort()[0]",
    ],
    "kthvalue": [
        "torch.kthvalue(x(5), 2)[0]", "x(3,4).kthvalue(3, 0)[0]", "torch.kthvalue(x(3,4), 1, -1, True)[0]",
        "torch.kthvalue(x().real, 1)",
    ],
    "unique": [
        "torch.unique(i(4,10))", "torch.unique(i(3,4,3), return_inverse=True, return_counts=True)",
        "torch.unique(i(2,6,2), dim=0, return_inverse=True, return_counts=True)",
        "torch.unique(i(2,2,6), dim=1)", "torch.unique(x(3).detach())", "torch.unique(torch.zeros(0))",
        "torch.unique_consecutive(torch.tensor([1,1,2,1]), return_inverse=True, return_counts=True)",
        "torch.unique_consecutive(i(2,6,1), dim=0, return_counts=True)",
        "i(3,8).unique(return_counts=True)",
    ],
}

SPECIAL = {
    "sort": [
        "torch.sort(t([3., nan, 1., 3.]))[0]", "torch.sort(t([0., -0., 0.]), descending=True)",
        "torch.sort(t([1., 1., 1.]))", "torch.sort(t([2., 1., 2., 1.]), descending=True, stable=True)",
        "torch.sort(t([inf, nan, -inf]), descending=True)",
    ],
    "topk": ["torch.topk(t([3., nan, 1., 2.]), 2)", "torch.topk(t([3., nan, 1., 2.]), 2, largest=False)"],
    "kthvalue": ["torch.kthvalue(t([3., nan, 2.]), 3)", "torch.kthvalue(t([3., nan, 2.]), 2)"],
}

ERRORS = {
    "sort": ["torch.sort(x(3), 1)", "torch.sort(c(3))"],
    "topk": [
        "torch.topk(x(3), 4)", "torch.topk(x(3), -1)", "torch.topk(x(), 2)", "torch.topk(b(3), 1)",
        "torch.topk(c(3), 1)", "torch.topk(x(3), 1, 1)",
    ],
    "kthvalue": [
        "torch.kthvalue(x(3), 0)", "torch.kthvalue(x(3), 4)", "torch.kthvalue(x(0,2), 1, 0)",
        "torch.kthvalue(b(2), 1)", "torch.kthvalue(c(2), 1)",
    ],
    "unique": [
        "torch.unique(x(), dim=0)", "torch.unique(x(2,0), dim=0)", "torch.unique(x(2), dim=1)",
        "torch.unique(x(0,0), dim=0)", "torch.unique(c(2))", "torch.unique(x(3)).sum().backward()",
    ],
}
