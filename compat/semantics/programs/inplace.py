"""Writing in place: what is refused, and detach, data, set_ and requires_grad_."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
m = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.2, -0.7]], requires_grad=True)

def names(node):
    """The Nodes on the way along first edges."""
    found = []
    while node is not None:
        found.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return found


# %% leaf: method
show(attempt(lambda: x.add_(1)))


# %% leaf: augmented assignment
def write():
    global x
    x += 1
show(attempt(write), x)


# %% leaf: under no_grad
with torch.no_grad():
    show(x.mul_(2))
(x * x).sum().backward()
show(x, x.is_leaf, x._version, x.grad)


# %% leaf: setitem
def write(): x[0] = 1
show(attempt(write))


# %% leaf: copy_
show(attempt(lambda: x.copy_(torch.ones(3))))


# %% leaf: zero_
show(attempt(lambda: x.zero_()))


# %% leaf: becomes part of the graph
b = torch.zeros(3)
b.add_(x)
show(b.requires_grad, b.is_leaf, b.grad_fn.name())
(b * b).sum().backward()
show(x.grad)


# %% leaf: other operand needs grad
show(attempt(lambda: m.mul_(m.detach() * x)))


# %% view of leaf: method
show(attempt(lambda: m[0].add_(1)))


# %% view of leaf: slice assigned
def write(): m[:, 1:] = 0
show(attempt(write))


# %% view of leaf: transpose
show(attempt(lambda: m.t().mul_(2)))


# %% view of leaf: under no_grad
with torch.no_grad():
    m[0].zero_()
show(m, m._version, m.grad_fn)


# %% view of leaf: made under no_grad, written with grad
with torch.no_grad():
    v = m[0]
show(v.requires_grad, attempt(lambda: v.add_(1)))


# %% view of leaf: made with grad, written under no_grad
v = m[0]
with torch.no_grad():
    v.add_(1)
show(m, v, v.grad_fn, m._version)


# %% multi-output view: unbind
a, b = (m * 1).unbind(0)
show(attempt(lambda: a.add_(1)))


# %% multi-output view: split
a, b = (m * 1).split(1)
show(attempt(lambda: b.mul_(2)))


# %% multi-output view: chunk
a, b = (m * 1).chunk(2)
show(attempt(lambda: b.mul_(2)))


# %% multi-output view: iteration
def write():
    for row in m * 1:
        row.add_(1)
show(attempt(write))


# %% multi-output view: setitem
def write(): (m * 1).unbind(0)[0][1] = 3
show(attempt(write))


# %% multi-output view: no grad needed
base = torch.zeros(2, 3)
for row in base.unbind(0):
    row.add_(torch.arange(3.))
show(base, base._version)


# %% multi-output view: other operand needs grad
base = torch.zeros(2, 3)
show(attempt(lambda: base.unbind(0)[0].add_(x)))


# %% multi-output view: under no_grad
y = m * 1
with torch.no_grad():
    y.unbind(0)[0].zero_()
show(y)


# %% multi-output view: base written afterwards
y = m * 1
a, b = y.unbind(0)
y.mul_(2)
show(attempt(lambda: a.sum().backward()), attempt(lambda: a.grad_fn))


# %% view under no_grad: other operand needs grad
base = torch.zeros(2, 3)
with torch.no_grad():
    v = base[0]
show(attempt(lambda: v.add_(x)))


# %% view under no_grad: of a non-leaf
y = m * 1
with torch.no_grad():
    v = y[0]
show(v.requires_grad, attempt(lambda: v.add_(1)))


# %% view under no_grad: nothing needs grad
base = torch.zeros(2, 3)
with torch.no_grad():
    v = base[0]
v.add_(1)
show(base, v.requires_grad)


# %% view under no_grad: written there too
base = torch.zeros(2, 3)
with torch.no_grad():
    base[0].add_(x)
show(base)


# %% expanded memory: refused
e = torch.zeros(3, 1).expand(3, 4)
show(attempt(lambda: e.add_(1)))


# %% expanded memory: fill_ and zero_
e = torch.ones(3, 1).expand(3, 4)
show(e.fill_(2), e.zero_())


# %% expanded memory: setitem of one element
base = torch.zeros(3, 1)
e = base.expand(3, 4)
e[0, 1] = 5
show(base, e)


# %% expanded memory: copy_
show(attempt(lambda: torch.zeros(1).expand(3).copy_(torch.ones(3))))


# %% expanded memory: size one is no overlap
e = torch.zeros(1, 3).expand(1, 3)
show(e.add_(1))


# %% expanded memory: out=
show(attempt(lambda: torch.add(torch.ones(3), 1, out=torch.zeros(1).expand(3))))


# %% inference tensor: outside
with torch.inference_mode():
    t = torch.ones(3)
show(attempt(lambda: t.add_(1)))


# %% inference tensor: inside
with torch.inference_mode():
    t = torch.ones(3)
    t.add_(1)
show(t)


# %% inference tensor: normal tensor written inside
t = torch.ones(3)
with torch.inference_mode():
    t.add_(1)
show(t, t.is_inference(), t._version)


# %% inference tensor: setitem outside
with torch.inference_mode():
    t = torch.ones(3)
def write(): t[0] = 2
show(attempt(write))


# %% inference tensor: copied from
with torch.inference_mode():
    t = torch.full((3,), 7.)
b = torch.zeros(3)
b.copy_(t)
show(b)


# %% detach: write is seen, version shared
y = x * 2
d = y.detach()
d.add_(1)
show(y, y._version, d._version, d.requires_grad)


# %% detach: write breaks a saved tensor
y = x * 2
z = y.exp()
z.detach().add_(1)
show(attempt(lambda: z.sum().backward()))


# %% detach: of a leaf may be written
d = x.detach()
d.mul_(2)
show(x, x._version)


# %% detach_: cuts the tensor off
y = x * 2
y.detach_()
show(y.requires_grad, y.grad_fn, y.is_leaf)


# %% detach_: of a view is refused
y = m * 2
show(attempt(lambda: y[0].detach_()))


# %% data: write does not move the version
y = x * 2
y.data.add_(1)
show(y, y._version)


# %% data: write is not noticed by backward
y = x.exp()
y.data.zero_()
y.sum().backward()
show(x.grad)


# %% data: assigned
w = torch.ones(2, requires_grad=True)
w.data = torch.zeros(3)
show(w, w.shape, w.is_leaf, w._version)


# %% data: never needs grad
d = x.data
show(d.requires_grad, d.is_leaf, d.data_ptr() == x.data_ptr(), d._version)


# %% set_: takes another's memory
a, b = torch.zeros(2), torch.arange(3.)
a.set_(b)
b[0] = 7
show(a, a.data_ptr() == b.data_ptr())


# %% swap_tensors
a, b = torch.zeros(2), torch.arange(3.)
ia, ib = id(a), id(b)
torch.utils.swap_tensors(a, b)
show(a, b, id(a) == ia, id(b) == ib)


# %% requires_grad_: on a non-leaf
y = x * 2
show(attempt(lambda: y.requires_grad_(False)), y.requires_grad_(True) is y)


# %% requires_grad: assigned on a non-leaf
y = x * 2
def write(): y.requires_grad = False
show(attempt(write))


# %% requires_grad_: of a plain tensor that was written
t = torch.zeros(3)
t.add_(1).requires_grad_()
show(t.is_leaf, t.requires_grad, t._version)


# %% requires_grad_: view of a plain tensor
base = torch.zeros(2, 3)
v = base[0].requires_grad_()
(v * 2).sum().backward()
show(v.grad, base.grad, base.requires_grad, v.is_leaf, v._is_view())
