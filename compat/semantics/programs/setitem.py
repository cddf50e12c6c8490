"""Assigning to an index, and out=: values, gradients of both operands, errors."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
m = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.2, -0.7]], requires_grad=True)

def names(node):
    """The Nodes on the way along first edges."""
    found = []
    while node is not None:
        found.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return found


# %% setitem: int
y = x * 2
y[1] = x[0] * 10
(y * y).sum().backward()
show(y, x.grad)


# %% setitem: slice with a step
y, v = x * 2, torch.ones(2, requires_grad=True)
y[::2] = v
(y * y).sum().backward()
show(y, x.grad, v.grad)


# %% setitem: bool mask
y, v = x * 2, torch.ones(2, requires_grad=True)
y[y > 0] = v * 3
(y * y).sum().backward()
show(y, x.grad, v.grad)


# %% setitem: bool mask, number
y = x * 2
y[y < 0] = 0
y.sum().backward()
show(y, x.grad, names(y.grad_fn))


# %% setitem: list of indices
y, v = x * 2, torch.ones(2, requires_grad=True)
y[[0, 2]] = v
(y * y).sum().backward()
show(y, x.grad, v.grad)


# %% setitem: index tensors of two dimensions
y, v = m * 2, torch.ones(2, requires_grad=True)
y[torch.tensor([0, 1]), torch.tensor([2, 0])] = v
(y * y).sum().backward()
show(y, m.grad, v.grad)


# %% setitem: ellipsis and None
y, v = m * 2, torch.ones(2, 1, requires_grad=True)
y[..., None, 0] = v
(y * y).sum().backward()
show(y, m.grad, v.grad)


# %% setitem: ellipsis alone
y = m * 2
y[...] = x
(y * y).sum().backward()
show(y, m.grad, x.grad)


# %% setitem: slice and index tensor
y, v = m * 2, torch.ones(2, 2, requires_grad=True)
y[:, torch.tensor([0, 2])] = v
(y * y).sum().backward()
show(y, m.grad, v.grad)


# %% setitem: value broadcasts
y, v = m * 2, torch.ones((), requires_grad=True)
y[0] = v
y.sum().backward()
show(y, m.grad, v.grad)


# %% setitem: leading dimensions of size one are dropped
y = m * 2
y[0] = torch.ones(1, 1, 3)
show(y)


# %% setitem: value's shape
def write():
    y = m * 2
    y[0] = torch.ones(2)
show(attempt(write))


# %% setitem: value's shape under a mask
def write():
    y = x * 2
    y[y > 0] = torch.ones(3)
show(attempt(write))


# %% setitem: True and False
y = torch.zeros(2)
y[True] = 3
y[False] = 5
show(y)


# %% setitem: out of range
def write():
    y = x * 2
    y[3] = 1
show(attempt(write))


# %% setitem: into integers truncates
y = torch.zeros(3, dtype=torch.int64)
y[0] = 2.7
show(y)


# %% setitem: gives the base a history
base = torch.zeros(2, 3)
base[1] = x
show(base.requires_grad, names(base.grad_fn))


# %% setitem: negative index and slice
y = m * 2
y[-1, -2:] = 0
y.sum().backward()
show(y, m.grad)


# %% setitem: chained indexing writes through views, copies through index tensors
y = torch.zeros(2, 3)
y[1][0] = 5
y[torch.tensor([0])][0] = 7
show(y)


# %% setitem: augmented on a slice
y = m * 2
y[:, 1] *= 10
y.sum().backward()
show(y, m.grad, y._version)


# %% setitem: augmented with repeated indices counts once
y = torch.zeros(3)
y[[0, 0, 1]] += 1
show(y)


# %% index_put_: accumulate
y, v = x * 2, torch.ones(2, requires_grad=True)
y.index_put_((torch.tensor([0, 0]),), v, accumulate=True)
(y * y).sum().backward()
show(y, x.grad, v.grad)


# %% out: needs grad
show(attempt(lambda: torch.mul(x, 2, out=torch.zeros(3))))


# %% out: itself needs grad
show(attempt(lambda: torch.add(torch.ones(3), 1, out=x)))


# %% out: under no_grad
with torch.no_grad():
    o = torch.zeros(3)
    show(torch.mul(x, 2, out=o) is o, o, o._version)


# %% out: empty is resized
o = torch.empty(0)
torch.mul(torch.ones(2, 3), 2, out=o)
show(o, o.shape)


# %% out: other shape warns
o = torch.zeros(2)
torch.mul(torch.ones(3), 2, out=o)
show(o)


# %% out: view of another
base = torch.zeros(2, 3)
torch.mul(torch.ones(3), 2, out=base[1])
show(base, base._version)


# %% out: dtype that cannot hold it
show(attempt(lambda: torch.add(torch.ones(3), 1, out=torch.zeros(3, dtype=torch.int64))))


# %% out: tuple
v, i = torch.zeros(2), torch.zeros(2, dtype=torch.int64)
torch.max(m.detach(), 1, out=(v, i))
show(v, i)


# %% setitem: numpy array, range and tensor as indices
y = m * 1
y[range(2), [0, 1]] = 0
y[np.array([0]), 2] = 7
y[torch.tensor(1)] += 1
show(y)


# %% setitem: mask of one dimension beside a slice
y, v = m * 1, torch.ones(2, requires_grad=True)
y[:, torch.tensor([True, False, True])] = v * 3
y.sum().backward()
show(y, m.grad, v.grad)


# %% setitem: uint8 mask
y = torch.zeros(3)
y[torch.tensor([1, 0, 1], dtype=torch.uint8)] = 4
show(y)


# %% delitem
def write(): del m[0]
show(attempt(write))
