"""What random programs with spoilt arguments and the campaign of edges found."""

# %% attention to nothing, and of nothing
for q, k, v, mask in (((2, 3, 5, 4), (2, 3, 0, 4), (2, 3, 0, 4), (5, 5)), ((5, 4), (0, 4), (0, 6), None),
                      ((3, 4), (3, 4), (3, 0), None), ((0, 4), (2, 5), (2, 6), None), ((3, 0), (3, 0), (3, 5), None)):
    given = [None if size is None else torch.ones(size, requires_grad=True) for size in (q, k, v, mask)]
    out = F.scaled_dot_product_attention(*given)
    show(out, torch.autograd.grad(out.sum(), [x for x in given if x is not None], allow_unused=True))
show(F.scaled_dot_product_attention(torch.full((2, 4), float("inf")), torch.ones(0, 4), torch.ones(0, 6)))

# %% norms of matrices of nothing
for size in ((2, 3, 0), (0, 3, 4), (2, 0, 4)):
    for order in (1, -1, float("inf"), 2, -2, "fro"):
        for dims in ((0, 2), (1, 2), (2, 0), (-1, 0)):
            x = torch.ones(size, requires_grad=True)
            show(attempt(lambda: torch.linalg.matrix_norm(x, order, dims, keepdim=True).detach()))
            show(attempt(lambda: torch.linalg.matrix_norm(x, order, dims).requires_grad))

# %% integrals of nothing
for f in (torch.trapezoid, torch.cumulative_trapezoid):
    for size in ((3, 0), (0,), (3, 1)):
        show(f(torch.ones(size)), f(torch.ones(size), dx=2.0), f(torch.ones(size), torch.ones(size)))
    show(attempt(lambda: f(torch.ones(2, 3), torch.ones(2))))

# %% signs of running sums of one element
for size in ((), (1,), (1, 3)):
    show(1 / torch.full(size, -0.0).cumsum(-1), 1 / torch.full(size, -0.0).cumsum(0))

# %% sizes of infinite complex numbers
z = torch.tensor([complex(float("inf"), float("nan")), 1.0])
show([z.norm(p) for p in (1, 2, 3, float("inf"))], torch.dist(z, z * 0))

# %% tensors for ints of views
x, one = torch.arange(6.0).reshape(2, 3), torch.tensor(1)
show(x.transpose(one, 0), x.narrow(0, 0, one), x.select(0, one), x.unfold(0, one, one), x.swapaxes(0, one))
y = x.clone()
show(y.transpose_(one, 0), y)
show(attempt(lambda: x.transpose(torch.tensor(1.5), 0)))

# %% large ints after small ones
for n in (1, 3, 2**60 + 1, -(2**62) - 3, 5):
    show((torch.ones(2, dtype=torch.int64) + n).sum())
for n in (1, 2.5, -(2**64), 4, 2**64, 0.5):
    try:
        show(torch.ones(2) > n)
    except OverflowError:
        show("too large")

# %% flags and inputs of backward
x = torch.ones(2, requires_grad=True)
for flag in (1.5, -1, 300, 2**64, [], None, "a", 2):
    show(attempt(lambda: x.sum().backward(retain_graph=flag)))
    show(attempt(lambda: torch.autograd.grad(x.sum(), x, create_graph=flag)))
for wrong in (None, 3, {}):
    show(attempt(lambda: x.sum().backward(inputs=[wrong])))
    show(attempt(lambda: torch.autograd.grad(x.sum(), [wrong])))
    show(attempt(lambda: torch.autograd.backward([wrong], [x])))

# %% sizes that are negative
x = torch.ones(2, 3)
show(attempt(lambda: x.expand(-9, 2, 3)), attempt(lambda: x.unfold(-1, -1, 1)), attempt(lambda: x.amin(-1)))
show(attempt(lambda: torch.ones(3, 0).amin(-1)), attempt(lambda: torch.ones(3, 0).amax((0, -1))))

# %% what is no tensor
for wrong in ("a", 3, None, [1], object()):
    for call in (lambda: x.view_as(wrong), lambda: x.expand_as(wrong), lambda: x.index_copy_(0, wrong, x),
                 lambda: x.gather(0, wrong), lambda: F.pad(wrong, (0, 1)), lambda: x + torch.ones((), device="meta")):
        show(attempt(call)[1] if wrong is not None else None)

# %% operands of einsum that are none
x = torch.ones(3)
for wrong in (torch.float32, None, 3, "a", int):
    show(attempt(lambda: torch.einsum("i,i", x, wrong)))
show(attempt(lambda: torch.einsum("i,i,i", x, x, None)))

# %% what cannot be written to
s = torch.eye(3).to_sparse()
show(attempt(lambda: s.__setitem__(0, 1.0)), attempt(lambda: s.__setitem__((..., 0), torch.ones(3))))
show(attempt(lambda: torch.ones(2, dtype=torch.complex64).abs_()))
for out in (torch.ones(3, device="meta"), torch.ones(7, device="meta")):
    show(attempt(lambda: torch.tanh(torch.ones(3), out=out)), attempt(lambda: torch.add(torch.ones(3), 1, out=out)))

# %% a dense tensor times a sparse one, in place
x = torch.full((3, 3), 2.0, requires_grad=True)
y = x * 3
y.mul_(torch.eye(3).to_sparse())
show(y.detach(), torch.autograd.grad(y.sum(), x)[0].to_dense())

# %% slices of nothing
x = torch.ones(0, 3)
show(attempt(lambda: x.index_select(0, torch.tensor([0]))), attempt(lambda: x.index_select(0, torch.tensor([-1]))))
show(x.index_select(0, torch.tensor([], dtype=torch.int64)))

# %% masks of other sizes
x = torch.ones(3)
for mask in (torch.tensor([True, False]), torch.tensor([1, 0], dtype=torch.uint8), torch.ones(4, dtype=torch.bool)):
    show(attempt(lambda: x.index_put_((mask,), torch.ones(3))), attempt(lambda: x.index_put((mask,), torch.ones(1))))

# %% integers of a stale view
x, c = torch.ones(2, 3, requires_grad=True), torch.zeros(2, 3)
one, other = c.split(1)
c.index_put_((torch.tensor([1, 0]),), x + 3)
show(other.long(), other.to(torch.int32), other.bool(), attempt(lambda: other.double()), attempt(lambda: other + 1))
