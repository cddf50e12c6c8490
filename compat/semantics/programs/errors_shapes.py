"""The errors of shapes, dimensions and indices."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
m = torch.arange(6.).view(2, 3)
i = torch.tensor([0, 1, 2])


# %% cat: sizes
show(attempt(lambda: torch.cat([torch.ones(2, 3), torch.ones(2, 4)])))


# %% cat: dimensions
show(attempt(lambda: torch.cat([torch.ones(2, 3), torch.ones(3)])))


# %% cat: nothing
show(attempt(lambda: torch.cat([])))


# %% cat: numbers
show(attempt(lambda: torch.cat([torch.tensor(1), torch.tensor(2)])))


# %% cat: dim
show(attempt(lambda: torch.cat([m, m], dim=2)))


# %% stack: sizes
show(attempt(lambda: torch.stack([torch.ones(2), torch.ones(3)])))


# %% stack: nothing
show(attempt(lambda: torch.stack([])))


# %% stack: dim
show(attempt(lambda: torch.stack([m, m], dim=3)))


# %% view: size
show(attempt(lambda: m.view(4, 2)))


# %% view: transposed
show(attempt(lambda: m.t().view(6)))


# %% reshape: size
show(attempt(lambda: m.reshape(4)))


# %% reshape: -1
show(attempt(lambda: m.reshape(-1, 4)), attempt(lambda: m.reshape(-1, -1)))


# %% reshape: nothing with -1
show(attempt(lambda: torch.zeros(0).reshape(-1, 0)))


# %% squeeze and unsqueeze: dim
show(attempt(lambda: m.squeeze(2)), attempt(lambda: m.unsqueeze(4)))


# %% transpose: dim
show(attempt(lambda: m.transpose(0, 2)))


# %% permute: count
show(attempt(lambda: m.permute(0, 1, 2)))


# %% expand: size
show(attempt(lambda: m.expand(4, 3)))


# %% repeat: too few
show(attempt(lambda: m.repeat(2)))


# %% flatten: dims
show(attempt(lambda: m.flatten(1, 0)), attempt(lambda: m.flatten(3)))


# %% split: size
show(attempt(lambda: m.split([1, 3], 1)), attempt(lambda: m.split(-1)))


# %% chunk: zero
show(attempt(lambda: m.chunk(0)))


# %% setitem: value's shape
def write(): m[0] = torch.ones(2)
show(attempt(write))


# %% setitem: string
def write(): m[0] = "a"
show(attempt(write))


# %% setitem: list
m[0] = torch.tensor([7., 8., 9.])
def write(): m[0] = [1, 2, 3]
show(m, attempt(write))


# %% setitem: mask and value
def write(): m[m > 2] = torch.ones(2)
show(attempt(write))


# %% setitem: dtype of a mask's value
def write(): m[m > 2] = torch.ones(3, dtype=torch.float64)
show(attempt(write))


# %% gather: dtype of the index
show(attempt(lambda: m.gather(0, torch.zeros(1, 1))))


# %% gather: dimensions
show(attempt(lambda: m.gather(0, torch.tensor([0]))))


# %% gather: out of range
show(attempt(lambda: m.gather(0, torch.tensor([[2]]))))


# %% index_select: dtype and range
show(attempt(lambda: m.index_select(0, torch.ones(1))), attempt(lambda: m.index_select(0, torch.tensor([2]))))


# %% scatter: dtype of the source
show(attempt(lambda: m.scatter(0, torch.tensor([[0]]), torch.ones(1, 1).double())))


# %% masked_fill: mask is no bool
show(attempt(lambda: m.masked_fill(torch.ones(2, 3), 0)))


# %% masked_select: mask is no bool
show(attempt(lambda: m.masked_select(i)))


# %% take: out of range
show(attempt(lambda: m.take(torch.tensor([6]))))


# %% embedding: out of range
show(attempt(lambda: nn.Embedding(3, 2)(torch.tensor([3]))))


# %% embedding: float index
show(attempt(lambda: nn.Embedding(3, 2)(torch.ones(2))))


# %% einsum: subscripts
show(attempt(lambda: torch.einsum("ij,jk->ik", m, m)), attempt(lambda: torch.einsum("ij,jk->ik", m)))


# %% einsum: dimensions
show(attempt(lambda: torch.einsum("ijk->i", m)))


# %% cross: sizes
show(attempt(lambda: torch.linalg.cross(torch.ones(2), torch.ones(2))))


# %% roll: dims
show(attempt(lambda: m.roll((1, 2), 0)))


# %% flip: dim
show(attempt(lambda: m.flip(2)))


# %% pad: count and mode
show(attempt(lambda: F.pad(m, (1,))), attempt(lambda: F.pad(m, (1, 1), mode="nothing")))


# %% tril: dimensions
show(attempt(lambda: torch.tril(torch.ones(3))))


# %% diag: dimensions
show(attempt(lambda: torch.diag(torch.ones(1, 1, 1))))


# %% meshgrid: dimensions
show(attempt(lambda: torch.meshgrid(m, m, indexing="ij"))[:2])
