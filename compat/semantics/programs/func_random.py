vmap = torch.func.vmap


def rows(x):
    """Shape, and whether all slices along the first dimension are equal."""
    return [list(x.shape), all(torch.equal(x[0], x[i]) for i in range(len(x)))]


B = torch.zeros(3, 4)
MODES = ("error", "same", "different")


def each_mode(f, like=rows):
    for mode in MODES:
        torch.manual_seed(0)
        show(mode, attempt(lambda: like(vmap(f, randomness=mode)(B))))


# %% rand
each_mode(lambda x: torch.rand(5), lambda y: y)

# %% randn
each_mode(lambda x: torch.randn(5) + x.sum(), lambda y: y)

# %% randint
each_mode(lambda x: torch.randint(100, (5,)), lambda y: y)

# %% randperm
each_mode(lambda x: torch.randperm(20), lambda y: y)

# %% rand_like
each_mode(lambda x: torch.rand_like(x), lambda y: y)

# %% rand_like of what is not batched
each_mode(lambda x: torch.rand_like(torch.ones(5)), lambda y: y)

# %% uniform_
each_mode(lambda x: x.clone().uniform_(), lambda y: y)

# %% uniform_ of what is not batched
each_mode(lambda x: torch.zeros(5).uniform_(), lambda y: y)

# %% uniform_ of zeros_like
each_mode(lambda x: torch.zeros_like(x).uniform_())

# %% normal_ of new_zeros
each_mode(lambda x: x.new_zeros(5).normal_())

# %% bernoulli_
each_mode(lambda x: x.repeat(10).bernoulli_(0.5))

# %% bernoulli_ by a tensor
each_mode(lambda x: x.repeat(10).bernoulli_(torch.full((40,), 0.5)))

# %% bernoulli
each_mode(lambda x: torch.bernoulli(x.repeat(10) + 0.5))

# %% bernoulli of what is not batched
each_mode(lambda x: torch.bernoulli(torch.full((40,), 0.5)))

# %% bernoulli: certain
each_mode(lambda x: torch.bernoulli(x + 1) + torch.bernoulli(x), lambda y: y)

# %% multinomial
each_mode(lambda x: torch.multinomial(x.repeat(10) + 1, 30))

# %% multinomial: each one once
each_mode(lambda x: torch.multinomial(x.repeat(10) + 1, 40).sort()[0], lambda y: y)

# %% multinomial: with replacement
each_mode(lambda x: torch.multinomial(x + 1, 30, replacement=True))

# %% multinomial: a certain one
each_mode(lambda x: torch.multinomial(x + torch.tensor([0.0, 0.0, 1.0, 0.0]), 5, replacement=True), lambda y: y)

# %% multinomial of what is not batched
each_mode(lambda x: torch.multinomial(torch.ones(40), 30))

# %% normal by tensors
each_mode(lambda x: torch.normal(x, x + 1))

# %% normal by a tensor and a number
each_mode(lambda x: torch.normal(x, 1.0))

# %% normal by numbers
each_mode(lambda x: torch.normal(0.0, 1.0, (4,)), lambda y: y)

# %% dropout
each_mode(lambda x: F.dropout(x.repeat(10) + 1, 0.5))

# %% dropout of what is not batched
each_mode(lambda x: F.dropout(torch.ones(40), 0.5))

# %% dropout in place
each_mode(lambda x: F.dropout(x.repeat(10) + 1, 0.5, inplace=True))

# %% alpha_dropout
each_mode(lambda x: F.alpha_dropout(x.repeat(10) + 1, 0.5, training=True))

# %% dropout1d
each_mode(lambda x: F.dropout1d(x[None, :, None].repeat(1, 10, 1) + 1, 0.5))

# %% other distributions
for name, args in (("exponential_", ()), ("random_", (100,)), ("geometric_", (0.1,)), ("log_normal_", ()), ("cauchy_", ())):
    each_mode(lambda x: getattr(x.clone(), name)(*args))

# %% a generator
each_mode(lambda x: torch.rand(5, generator=torch.Generator()), lambda y: y)

# %% vmap in vmap
for outer in MODES:
    for inner in MODES:
        torch.manual_seed(0)
        f = vmap(lambda a: vmap(lambda b: torch.rand(5) + b.sum(), randomness=inner)(a), randomness=outer)
        show(outer, inner, attempt(f, B))

# %% grad in vmap
each_mode(torch.func.grad(lambda x: (x * torch.rand(4)).sum()), lambda y: y)

# %% vmap in grad
for mode in MODES:
    torch.manual_seed(0)
    show(attempt(torch.func.grad(lambda x: vmap(lambda r: r * torch.rand(4), randomness=mode)(x).sum()), B))

# %% chunks
for mode in MODES:
    show(mode, attempt(lambda: rows(vmap(lambda x: torch.rand(5), randomness=mode, chunk_size=2)(B))))

# %% out_dims None
each_mode(lambda x: torch.rand(5))
for mode in MODES:
    torch.manual_seed(0)
    show(mode, attempt(vmap(lambda x: torch.rand(5), randomness=mode, out_dims=None), B))

# %% out_dims None of what is batched
show(attempt(vmap(lambda x: x, out_dims=None), B))

# %% the generator afterwards
for mode in MODES[1:]:
    torch.manual_seed(0)
    vmap(lambda x: torch.rand(5), randomness=mode)(B)
    show(torch.rand(2))

# %% jacfwd
for mode in MODES:
    torch.manual_seed(0)
    show(mode, attempt(torch.func.jacfwd(lambda x: x * torch.rand(4), randomness=mode), torch.ones(4)))

# %% jacrev
torch.manual_seed(0)
show(torch.func.jacrev(lambda x: x * torch.rand(4))(torch.ones(4)))

# %% history
for mode in MODES[1:]:
    torch.manual_seed(0)
    w = torch.ones(4, requires_grad=True)
    out = vmap(lambda x: (x + 1) * torch.rand(4) * w, randomness=mode)(B)
    out.sum().backward()
    show(out.detach(), w.grad, torch.rand(1))
