"""The history that writing in place leaves, and copy_ and its gradient."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
m = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.2, -0.7]], requires_grad=True)

def names(node):
    """The Nodes on the way along first edges."""
    found = []
    while node is not None:
        found.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return found


# %% history: the written tensor's Node is new
y = x * 2
before = y.grad_fn
y.exp_()
show(names(y.grad_fn), y.grad_fn is before, y.grad_fn.next_functions[0][0] is before)


# %% history: several writes
y = x * 2
y.add_(1).mul_(3).sigmoid_()
show(names(y.grad_fn))
y.sum().backward()
show(x.grad)


# %% history: write to a view gives CopySlices
y = m * 2
y[0].mul_(5)
show(names(y.grad_fn))
y.sum().backward()
show(m.grad)


# %% history: grad_fn of the written view
y = m * 2
v = y[0]
v.mul_(5)
show(names(v.grad_fn), v)
(v * v).sum().backward()
show(m.grad)


# %% history: edges of CopySlices
base = torch.zeros(2, 3)
base[0].mul_(x)
show([(None if n is None else n.name(), i) for n, i in base.grad_fn.next_functions])


# %% history: write to a view of a view
y = m * 2
y.t()[1].pow_(2)
show(names(y.grad_fn), y)
y.sum().backward()
show(m.grad)


# %% history: sibling views see the write
y = m * 2
a, b = y[0], y[:, 0]
a.mul_(10)
show(b, names(b.grad_fn))
b.sum().backward()
show(m.grad)


# %% history: view before, base written
y = m * 2
v = y[1]
y.mul_(3)
show(names(v.grad_fn), v)
v.sum().backward()
show(m.grad)


# %% history: base of constants starts to need grad
base = torch.zeros(2, 3)
v = base.view(6)
base[0].copy_(x)
show(base.requires_grad, v.requires_grad, names(v.grad_fn))


# %% history: copy_ cuts off what was there
y = x * 2
y.copy_(torch.ones(3))
show(y.requires_grad, names(y.grad_fn))
y.sum().backward()
show(x.grad)


# %% history: zero_ keeps requires_grad
y = x * 2
y.zero_()
show(y, names(y.grad_fn))
y.sum().backward()
show(x.grad)


# %% history: fill_ with a tensor
value = torch.tensor(4., requires_grad=True)
y = x * 2
y.fill_(value)
y.sum().backward()
show(y, x.grad, value.grad)


# %% history: masked_fill_
y = x * 2
y.masked_fill_(torch.tensor([True, False, True]), 9)
y.sum().backward()
show(y, x.grad)


# %% history: index_add_, both operands
y, source = x * 2, torch.ones(2, requires_grad=True)
y.index_add_(0, torch.tensor([0, 0]), source, alpha=3)
(y * y).sum().backward()
show(y, x.grad, source.grad)


# %% history: scatter_, both operands
y, source = x * 2, torch.ones(2, requires_grad=True)
y.scatter_(0, torch.tensor([2, 0]), source)
(y * y).sum().backward()
show(y, x.grad, source.grad)


# %% history: clamp_ and relu_
y = x * 2
y.clamp_(max=3).relu_()
show(names(y.grad_fn))
y.sum().backward()
show(y, x.grad)


# %% history: transposed in place
y = m * 2
y.t_()
show(y.shape, y.stride(), names(y.grad_fn))
(y * torch.arange(6.).view(3, 2)).sum().backward()
show(m.grad)


# %% history: unsqueeze_ and squeeze_
y = x * 2
y.unsqueeze_(0)
show(y.shape, names(y.grad_fn))
y.squeeze_()
show(y.shape, names(y.grad_fn))


# %% copy_: gradient of the source
y = torch.zeros(3)
y.copy_(x)
(y * y).sum().backward()
show(x.grad, names(y.grad_fn))


# %% copy_: broadcasts the source
y = torch.zeros(2, 3)
y.copy_(x)
y.sum().backward()
show(y, x.grad)


# %% copy_: converts the dtype, gradient comes back in the source's
y = torch.zeros(3, dtype=torch.float64)
y.copy_(x)
(y * y).sum().backward()
show(y, x.grad)


# %% copy_: into integers has no gradient
y = torch.zeros(3, dtype=torch.int64)
y.copy_(x)
show(y)


# %% copy_: shape
show(attempt(lambda: torch.zeros(3).copy_(torch.ones(2))))


# %% copy_: onto itself, overlapping slices
y = torch.arange(5.)
y[1:].copy_(y[:-1].clone())
show(y)


# %% history: random fill cuts off the gradient
y = x * 2
y.normal_()
show(y.requires_grad, y.grad_fn.name())
(y * 0).sum().backward()
show(x.grad)


# %% history: random fill of a view
y = m * 2
y[0].uniform_()
y.sum().backward()
show(names(y.grad_fn), m.grad)


# %% history: Nodes of random fills
y = x * 2
show([f().grad_fn.name() for f in (y.normal_, y.uniform_, y.bernoulli_, y.random_, y.log_normal_)])


# %% history: Nodes of activations in place
show([f(x * 2).grad_fn.name() for f in (F.relu_, F.leaky_relu_, F.elu_, F.celu_, F.selu_)],
     F.threshold(x * 2, 0.1, 5, inplace=True))


# %% history: as_strided written
y = m * 1
y.as_strided((2,), (2,), 1).zero_()
y.sum().backward()
show(y, m.grad)


# %% history: unfold written
y = x * 1
y.unfold(0, 2, 2).mul_(3)
y.sum().backward()
show(y, x.grad)


# %% history: lerp_ and addcmul_
y = x * 1
y.addcmul_(x, x.detach(), value=2).lerp_(x.detach() + 1, 0.3)
y.sum().backward()
show(y, x.grad)


# %% history: hooks before and after a write to a view
y = m * 2
y.register_hook(lambda g: show("old", g))
y[0].mul_(3)
y.register_hook(lambda g: show("new", g))
y.sum().backward()


# %% copy_: of a number
show(torch.zeros(2).copy_(3), torch.zeros(2, dtype=torch.int64).copy_(2.7))


# %% layers: ReLU(inplace=True) after a Linear
net = nn.Sequential(nn.Linear(3, 2), nn.ReLU(inplace=True))
with torch.no_grad():
    for p in net.parameters():
        p.fill_(0.5)
net(x).sum().backward()
show(x.grad, net[0].weight.grad)
