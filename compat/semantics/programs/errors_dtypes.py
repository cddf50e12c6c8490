"""Operands of two dtypes: what works, in which dtype, and what is refused."""

DTYPES = ("float32", "float64", "float16", "complex64", "int64", "bool")
square = [[4.0, 1.0, 2.0], [1.0, 5.0, 3.0], [2.0, 1.0, 6.0]]


def pairs(dtypes=DTYPES):
    for first in dtypes:
        for second in dtypes:
            yield torch.tensor(square).to(getattr(torch, first)), torch.tensor(square).to(getattr(torch, second))


def dtype_of(f, *args, **kwargs):
    show(attempt(lambda: f(*args, **kwargs).dtype))


# %% triangular systems
for a, b in pairs():
    if not (b.is_complex() and not a.is_complex()):  # PyTorch warns of imaginary parts once a process
        show(attempt(torch.linalg.solve_triangular, a, b, upper=True))
        show(attempt(torch.linalg.solve_triangular, a, b, upper=False, left=False))
    if a.dtype is not b.dtype:
        show(attempt(lambda: torch.triangular_solve(b, a)))
a = torch.tensor(square, requires_grad=True)
b = torch.tensor(square, dtype=torch.float64, requires_grad=True)
torch.linalg.solve_triangular(a, b, upper=True).sum().backward()
show(a.grad, b.grad)

# %% least squares
for d in DTYPES:
    x = torch.tensor(square).to(getattr(torch, d))
    if d not in ("float32", "float64", "complex64"):
        show(attempt(torch.linalg.lstsq, x, x))
        show(attempt(torch.linalg.lstsq, x, x, rcond=1e-3))

# %% distances and scalar products
for a, b in pairs():
    show(attempt(torch.cdist, a, b))
    show(attempt(torch.cdist, a, b, p=1.0))
    show(attempt(torch.cdist, a, b, compute_mode="use_mm_for_euclid_dist"))
    show(attempt(torch.linalg.vecdot, a, b))
    show(attempt(torch.cdist, a[0], b))
    show(attempt(torch.cdist, a, b, p=-1.0))

# %% neighbours in half precision
values = torch.tensor([4.0, 1.0, 0.0, -1.0, float("nan"), float("inf"), 65504.0, -0.0, 1e-7])
for d in (torch.float16, torch.bfloat16):
    x = values.to(d)
    for other in (0.0, float("inf"), -2.0, 1.0, float("nan")):
        show(torch.nextafter(x, torch.full_like(x, other)))

# %% powers, neighbours, grids, quotients, histograms
for a, b in pairs():
    show(attempt(torch.nextafter, a, b))
    show(attempt(torch.cartesian_prod, a[0], b[1]))
    show(attempt(torch.addcdiv, a, b, b))
    show(attempt(torch.addcdiv, a, a, b))
    if not b.is_complex():
        show(attempt(torch.histogram, a, b[0].sort().values))
for d in (*DTYPES, "bfloat16", "int8", "uint8"):
    show(attempt(torch.linalg.vander, torch.tensor([1, 2, 3]).to(getattr(torch, d))))

# %% losses
F = torch.nn.functional
for a, b in pairs(("float32", "float64", "float16", "int64", "bool")):
    for loss in (F.huber_loss, F.soft_margin_loss, F.mse_loss, F.smooth_l1_loss, F.hinge_embedding_loss,
                 F.binary_cross_entropy_with_logits):
        if not (loss is F.soft_margin_loss and a.dtype is torch.bool):
            dtype_of(loss, a, b)
            dtype_of(loss, a, b, reduction="none")
    dtype_of(F.multi_margin_loss, a, torch.tensor([0, 1, 2]), weight=b[0])
    if not (a.dtype is torch.bool or b.dtype is torch.bool):
        dtype_of(F.margin_ranking_loss, a, b, a)
show(F.hinge_embedding_loss(torch.tensor([1, 2, -3]), torch.tensor([-1, 1, -1]), margin=1.5, reduction="none"))
show(attempt(F.multi_margin_loss, torch.ones(3, 3).half(), torch.tensor([0, 1, 2], dtype=torch.int32)))

# %% instance_norm with running statistics of another dtype
for d in ("float32", "float16", "float64"):
    for other in ("float32", "float16", "float64", "int64"):
        x = torch.arange(24.0).reshape(2, 3, 4).to(getattr(torch, d))
        mean, var = torch.ones(3).to(getattr(torch, other)), torch.ones(3).to(getattr(torch, other))
        show(F.instance_norm(x, mean, var).dtype, mean, var)
        show(F.instance_norm(x, mean, var, use_input_stats=False).dtype)
