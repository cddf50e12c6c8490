"""What the random programs (`python -m compat.semantics.randomly`) found, each as short as it gets."""

x = torch.tensor([[0.3, -0.7, 1.1], [0.9, 0.2, -0.4]], requires_grad=True)
w = torch.tensor([0.5, -1.5, 0.8], requires_grad=True)
c = torch.tensor([[0.1, 0.6, -0.2], [1.2, -0.3, 0.7]])
k = torch.tensor([1, 0])

class Same(Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t * 1
    @staticmethod
    def backward(ctx, g):
        return g

class AsIs(Function):
    @staticmethod
    def forward(ctx, t):
        return t
    @staticmethod
    def backward(ctx, g):
        return g * 3


# %% overlap: reading what is written
t = torch.arange(6.0)
for write in [lambda: t[1:].add_(t[:-1]), lambda: t[1:].copy_(t[:-1]), lambda: t.index_copy_(0, k, t[:2]),
              lambda: t.index_add_(0, k, t[:2]), lambda: t.index_put_((k,), t[:2]), lambda: t.mul_(t), lambda: t[:3].mul_(t[3:]),
              lambda: t.scatter_(0, k, t), lambda: t.fill_(t[1])]:
    show(attempt(write))
show(t, t._version)


# %% overlap: a leaf is refused before its memory
show(attempt(lambda: w.index_copy_(0, k, w[:2])))
show(attempt(lambda: w.expand(2, 3).mul_(2)))
show(attempt(lambda: c.expand(2, 2, 3).mul_(2)))
c.expand(2, 2, 3).zero_()
show(c)


# %% overlap: shapes and indices come before it, or after
show(attempt(lambda: c.index_add_(0, torch.tensor([0, 1, 0]), c)))
show(attempt(lambda: c.index_add_(0, torch.tensor([0, 5]), c[:1])))
show(attempt(lambda: c.index_copy_(0, torch.tensor([0, 1, 0]), c)))
show(attempt(lambda: c.__setitem__(k, c.double())))


# %% pack: operands by name
def shapes(function):
    found = []
    with graph.saved_tensors_hooks(lambda t: found.append(list(t.shape)) or t, lambda t: t):
        function()
    return found
y, z = torch.ones(3, 2, requires_grad=True), torch.ones(2, requires_grad=True)
show(shapes(lambda: torch.hypot(w, x)), shapes(lambda: torch.lerp(w, x, x[:1])), shapes(lambda: torch.addmm(z, x, y)))
show(shapes(lambda: F.linear(x, y.t(), z)), shapes(lambda: torch.where(x > 0, w, x)), shapes(lambda: torch.atan2(w, x)))
show(shapes(lambda: x.index_add(0, k, x * 2)), shapes(lambda: F.layer_norm(x, (3,), w, w)))


# %% no_grad views: they require grad and have no edge
with torch.no_grad():
    v = (w * 2)[1:]
    u = w[1:]
    s, t = w.view(3, 1), x.unbind(0)[0]
for each in (v, u, s, t):
    show(each.requires_grad, each.is_leaf, each.grad_fn)
y = u * 2
show(y, y.grad_fn.next_functions)
show(attempt(lambda: u.sum().backward()), attempt(lambda: u.backward(torch.ones(2))), attempt(u.backward))
(y.sum() + w.sum()).backward()
show(w.grad, u.grad)
show(attempt(lambda: torch.autograd.grad((w * 2).sum(), u)))
show(torch.autograd.grad((w * 2).sum(), [u, w], allow_unused=True))
u.register_hook(show)
u.retain_grad()


# %% no_grad views: of inference mode
with torch.inference_mode():
    v = w[1:]
show(v.requires_grad, (v @ v).grad_fn)


# %% no_grad views: a view from before requires_grad_
v = c[0]
c.requires_grad_()
show(v.requires_grad, v.is_leaf, (v * 2).grad_fn.next_functions, attempt(lambda: v.mul_(2)))
c.requires_grad_(False)
show(v.requires_grad, (v * 2).requires_grad)


# %% no_grad views: in a checkpoint
with torch.no_grad():
    v = w[1]
y = checkpoints.checkpoint(lambda t, u: t * u * w, v, v, use_reentrant=False)
y.sum().backward()
show(w.grad, v.grad)


# %% views: one without a Node, written to elsewhere
v, u = c[0], c[:1]
c[1].add_(w)
show(v.requires_grad, attempt(lambda: v.mul_(2)))
show(u.grad_fn, attempt(lambda: u.mul_(2)) is u, c.grad_fn)


# %% views: of a tensor that was cut off
y = x * 2
v = y[0]
y.detach_()
show(attempt(lambda: v.mul_(2)))


# %% views: reshape's Node
y = x * 2
show(y.reshape(-1).grad_fn, y[:, 1:].reshape(4).grad_fn, y[:, 0].reshape(2, 1).grad_fn, y.t().reshape(6).grad_fn)


# %% views: how a view of a view is called
def again(first, second, through):
    y = x * 2
    with first():
        v = y[:]
    with second():
        u = v.split(1)[0] if through else v[:]
    return attempt(lambda: u.mul_(2)), attempt(lambda: (y.mul_(2), u.grad_fn))
for first in (contextlib.nullcontext, torch.no_grad, torch.inference_mode):
    for second in (contextlib.nullcontext, torch.no_grad, torch.inference_mode):
        show(again(first, second, False), again(first, second, True))


# %% views: an unusable one is refused before its shape is
y = x * 2
a, b = y.unbind(0)
y.mul_(2)
show(attempt(lambda: a.diagonal()), attempt(lambda: a + torch.ones(7)), attempt(lambda: y.mul_(a)), (a > 0).sum())
show(a.grad, attempt(lambda: a.is_leaf), attempt(lambda: a.backward()))


# %% views: saved, then unusable
a, b = (x * 2).unbind(0)
y = (a * b).sum()
a._base.mul_(2)
show(attempt(y.backward))


# %% index: no dimension
t = torch.tensor(1.0)
for index in (0, 1, -1, slice(0, 1), (0,), (..., 0), (..., slice(0, 1)), k, [0, 1], torch.tensor(0), (None, 0), (None, k)):
    show(attempt(lambda: t[index]), attempt(lambda: t.__setitem__(index, 2.0)))
show(t.movedim(0, -1), attempt(lambda: t.tensor_split(2)), attempt(lambda: t.repeat_interleave(2, 0)))


# %% data: counts its own writes
y = c * 1
v = y.view(6)
z = (x * 2)
u = z.view(6)
z.data.mul_(2)
show(u.grad_fn, z._version)
y.add_(1)
y.data = c
c.mul_(2)
show(y._version, c._version, y)


# %% inference tensors: written to, then refused
with torch.inference_mode():
    t = torch.ones(3)
    u = torch.ones(3)
show(attempt(lambda: t.mul_(2)), attempt(lambda: t.copy_(w)), t, t.requires_grad)
show(attempt(lambda: t.expand(2, 3).mul_(2)), attempt(lambda: t.add_(torch.ones(2))))
u.data.mul_(3)
u.detach().add_(1)
show(u)


# %% inference tensors: saved
with torch.inference_mode():
    t = torch.ones(3)
show(attempt(lambda: w * t))
with graph.saved_tensors_hooks(lambda s: s, lambda s: s):
    show(attempt(lambda: w * t))
show(attempt(lambda: checkpoints.checkpoint(lambda s: s * 2, t, use_reentrant=False)))
show(attempt(lambda: checkpoints.checkpoint(lambda s, u: s * u, t, w, use_reentrant=True)))


# %% inference mode: detach_ does nothing
y = (x * 2)[0]
with torch.inference_mode():
    y.detach_()
show(y.grad_fn)


# %% saved: sources of index_add and index_copy
for write in ("index_add", "index_copy"):
    s = torch.ones(2, 3) * x.detach()
    s.requires_grad_()
    y = getattr(c, write)(0, k, s)
    with torch.no_grad():
        s.mul_(2)
    show(attempt(lambda: y.sum().backward()))


# %% saved: detached in place
y = x * 2
z = y * y
y.detach_()
show(attempt(lambda: z.sum().backward()))


# %% strides: clones keep them, masked_fill does not
t = torch.arange(6.0).view(2, 3)
show(t[::2].clone().stride(), torch.empty_like(t[::2]).stride(), (t[::2] * 2).stride())
show(t.t().masked_fill(t.t() > 2, 0).stride(), t.t().clone().stride())


# %% in place: the names of what is refused
show(attempt(lambda: torch.ones(2, 2, 2).t_()), attempt(lambda: torch.ones(3, 2).copy_(torch.ones(2, 3))))


# %% in place: transposed without history
y = x * 2
with torch.no_grad():
    y.t_()
show(y.grad_fn, attempt(lambda: y.backward(torch.ones(3, 2))), y)
y = x * 2
with torch.no_grad():
    y.unsqueeze_(0)
y.sum().backward()
show(x.grad)
v = (x * 2)[0]
with torch.no_grad():
    v.unsqueeze_(0)
show(v.grad_fn)


# %% hooks: gradients that nobody asked for are None
y = x * w
y.grad_fn.register_hook(lambda grads, incoming: show(grads))
torch.autograd.grad(y.sum(), x, retain_graph=True)
y.sum().backward(inputs=[w])


# %% hooks: CopySlices counts a number's place
y = x * 1
y[0].mul_(2)
show(y.grad_fn.next_functions[1:])
y.grad_fn.register_hook(lambda grads, incoming: show(grads))
y.sum().backward()


# %% hooks: what is captured on the way comes before them
y = x * 2
y.register_hook(lambda g: g + 1)
show(torch.autograd.grad(y.sum(), [y, x], retain_graph=True), torch.autograd.grad(y.sum(), y, retain_graph=True))
x.register_hook(lambda g: g * 10)
show(torch.autograd.grad(y.sum(), [x, y]))


# %% freed: CopySlices goes with its first backward pass
y = x * 1
y[0].copy_(w)
y.sum().backward()
show(attempt(lambda: y.sum().backward()))


# %% second order: what a gradient does not depend on
g, = torch.autograd.grad((x * w).sum(), x, create_graph=True)
show(attempt(lambda: torch.autograd.grad(g.sum(), x)), torch.autograd.grad(g.sum(), w))
for function in (torch.sign, torch.relu, torch.abs, torch.sin, lambda t: torch.maximum(t, t * 2), lambda t: t.clamp(-1, 1),
                 lambda t: F.leaky_relu(t), lambda t: t[t > 5]):
    g, = torch.autograd.grad(function(x).sum(), x, create_graph=True)
    show(g.requires_grad)


# %% second order: a write to what its gradient does not read
y = x * w
g, = torch.autograd.grad((y * y).sum(), x, create_graph=True)
y.mul_(2)
show(torch.autograd.grad(g.sum(), x))


# %% second order: a write over everything
y = c * w
y[:] = x
y.sum().backward(create_graph=True)
show(w.grad.detach(), attempt(lambda: (y * y).sum().backward(create_graph=True)))


# %% Functions: a grad_fn that somebody holds
y = Same.apply(w)
node = y.grad_fn
alive = weakref.ref(node)
del y
show(node.next_functions[0][0].variable is w, node.saved_tensors)
torch.autograd.backward(graph.GradientEdge(node, 0), torch.ones(3))
show(w.grad)
del node
show(alive() is None)


# %% Functions: mark_dirty of a view that may not be written to
class Doubled(Function):
    @staticmethod
    def forward(ctx, t):
        ctx.mark_dirty(t)
        return t.mul_(2)
    @staticmethod
    def backward(ctx, g):
        return g * 2
show(attempt(lambda: Doubled.apply(AsIs.apply(w))))
with torch.inference_mode():
    t = torch.ones(3)
show(attempt(lambda: Doubled.apply(t)))


# %% order: leaves are served as they become ready
a, b, d = (torch.ones(2, requires_grad=True) for _ in range(3))
for name, leaf in (("a", a), ("b", b), ("d", d)):
    leaf.register_hook(lambda g, name=name: show(name))
(d * a * b).sum().backward()


# %% found: output_nr of a view whose base was written to
y = x * 2
a, b = y.chunk(2)
y.mul_(2)
show(a.requires_grad, a.output_nr, b.output_nr)


# %% found: name of a multi-output view reshaped in place without history
y = x.view(1, -1) * 2
a, b, c = y.unbind(1)
with torch.no_grad():
    b.unsqueeze_(0)
    b.mul_(2)
show(attempt(lambda: b.grad_fn))


# %% found: in-place on an inference tensor saves a copy
with torch.inference_mode():
    i = torch.ones(3)
show(attempt(lambda: i.mul_(x)))
show(attempt(lambda: i.addcmul_(i, x)))
show(i)


# %% found: data of an inference tensor may be written to
with torch.inference_mode():
    i = torch.ones(3)
d = i.data
d.sub_(x)
show(d)
show(attempt(lambda: d[1:].mul_(2)))


# %% found: a write through an overlapping window
y = x * 2
v = y.as_strided((2, 2), (1, 1))
v[0].tanh_()
show(y, v)
y.sum().backward()
show(x.grad)


# %% found: a no_grad view saves nothing for its own gradient
y = x * 1
with torch.no_grad():
    u = y[:2]
z = u * u
y.mul_(2)
z.sum().backward()
show(x.grad, z.grad_fn.next_functions)


# %% found: what two formulas need is saved even so
with torch.inference_mode():
    i = torch.ones(3)
    u = x[:]
show(attempt(lambda: torch.maximum(u, i)))


# %% found: an invalid gradient is told by its sender
y = x.view(1, 3) * 2
with torch.no_grad():
    y.transpose_(0, 1)
show(attempt(lambda: (y * torch.ones(3, 1)).sin().sum().backward()))


# %% found: a view of a leaf view whose base is written to
v = torch.ones(3)
a = v[:]
a.requires_grad_()
b = a[1:]
v.clamp_(-1, 1)
show(b.grad_fn.name(), b)


# %% found: mark_dirty drops the gradient
class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.mark_dirty(t)
        return t.mul_(2)
    @staticmethod
    def backward(ctx, g):
        return g * 2
y = x * 2
y.retain_grad()
y.sum().backward()
show(y.grad)
Doubled.apply(y)
show(y.grad)


# %% found: a stale input of a checkpoint under pack hooks
from torch.utils.checkpoint import checkpoint
y = x * 2
a, b = torch.tensor_split(y, 2)
a.mul_(2)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
    z = checkpoint(lambda t: (t * 2).sin().exp(), b, use_reentrant=False)
z.sum().backward()
show(x.grad)


# %% found: copy_ of a larger tensor
show(attempt(lambda: torch.zeros(1, 3).copy_(torch.ones(2, 3))))
show(attempt(lambda: torch.zeros(4, 3).copy_(torch.ones(2, 3))))
show(attempt(lambda: torch.zeros(3).copy_(torch.ones(2, 3))))


# %% found: out= that overlaps with what is read
y = torch.arange(6.)
show(attempt(lambda: torch.tanh(y[1:], out=y[:-1])))
show(attempt(lambda: torch.tanh(y, out=y)))
show(attempt(lambda: torch.add(y[1:], 1, out=y[:-1])))


# %% found: the deviation of equal numbers
y = (x * 0 + 0.5741).requires_grad_()
y.std(0, correction=0).backward()
show(x.grad)


# %% found: the product of data that changed
y = x.cumprod(0)
y.data.mul_(0.5)
y.sum().backward()
show(x.grad)


# %% found: shapes before dtypes in index_put_
show(attempt(lambda: torch.zeros(3).index_put_((torch.tensor([1, 0]),), torch.ones(3, dtype=torch.float64))))
show(attempt(lambda: torch.zeros(3).index_put_((torch.tensor([1, 0]),), torch.ones(2, dtype=torch.float64))))
show(attempt(lambda: torch.zeros(3).index_add_(0, torch.tensor([1, 0]), torch.tensor(1.))))


# %% found: expand looks at the last dimension first
show(attempt(lambda: torch.zeros(2, 3).expand(3, 2)))
def put():
    torch.zeros(3, 2)[...] = torch.ones(2, 3)
show(attempt(put))


# %% found: the saved result of a write to a view
def second(write, keep=True, clear=False):
    y = x * 3
    v = y[:, 1:]
    u = v[0]
    v.grad_fn.register_hook(lambda i, o: tuple(g if g is None else g * 3 for g in i))
    write(u)
    if clear:
        u.grad_fn.register_hook(lambda i, o: tuple(g * 5 for g in i))
    if not keep:
        del u
    g, = torch.autograd.grad((v * v).sum(), x, create_graph=True)
    h, = torch.autograd.grad(g.sum(), x)
    show(g.tolist(), h)
second(lambda u: u.exp_())
second(lambda u: u.exp_(), keep=False)
second(lambda u: u.exp_(), clear=True)
second(lambda u: u.sigmoid_().mul_(2).add_(1).tanh_())
show(attempt(lambda: second(lambda u: u.exp_().clamp_(max=3))))
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
    second(lambda u: u.exp_().clamp_(max=3))
    second(lambda u: u.exp_(), keep=False)


# %% found: whose output a saved result is, once the view that was written to has another history
def whose(change, write=lambda y, v: y.index_copy_(0, torch.arange(len(y)).flip(0), x.detach() * 2)):
    y = x * 3
    v = y.view(-1)
    v.relu_()
    kept = change(v)
    write(y, v)
    show(attempt(lambda: (y.sum() + (v * v).sum()).backward()))
    del kept
whose(lambda v: None)
whose(lambda v: v.grad_fn)
whose(lambda v: v.grad_fn and None)
whose(lambda v: None, lambda y, v: v.mul_(2))
whose(lambda v: v.grad_fn, lambda y, v: v.mul_(2))
whose(lambda v: v.grad_fn and None, lambda y, v: v.mul_(2))
whose(lambda v: None, lambda y, v: y.mul_(2).mul_(3))
whose(lambda v: None, lambda y, v: v[1:].mul_(2))
whose(lambda v: v[1:], lambda y, v: y.mul_(2))
def unseen(y):
    with torch.no_grad():
        y.unbind(0)[0].mul_(2)
whose(lambda v: None, lambda y, v: unseen(y))
whose(lambda v: v.grad_fn, lambda y, v: unseen(y))
def unused(look):
    y = x * 3
    v = y.view(-1)
    v.relu_()
    look(v)
    y.mul_(2)
    show(attempt(lambda: y.sum().backward()))
unused(lambda v: None)
unused(lambda v: v.grad_fn)
unused(lambda v: v + 1)


# %% found: transforms of views that were made without gradients
with torch.no_grad():
    parts = x[0], x.t(), x.unbind(0)[1], x.view(6)
for v in parts:
    for y in (torch.func.vmap(lambda t: t * 2)(v), torch.func.grad(lambda t: (t * t).sum())(v), torch.func.vjp(torch.sin, v)[0]):
        y.sum().backward()
        show(y.requires_grad, y.detach(), x.grad, v.grad_fn)


# %% found: views of an inference tensor that requires grad
with torch.inference_mode():
    y = torch.ones(2, 2).requires_grad_()
for v in (y * 2, y.select(-1, 1), y[0], y.t(), y.view(4), y.detach(), y.unbind(0)[0], y.expand(3, 2, 2), y.unsqueeze(0)):
    show(v)


# %% found: what a write in place saves through hooks, read by a hook in between
held = []
for write in (torch.Tensor.sigmoid_, torch.Tensor.tanh_, torch.Tensor.exp_, torch.Tensor.sqrt_):
    y = (x * x + 1).detach().requires_grad_()
    x.grad = None
    with torch.autograd.graph.saved_tensors_hooks(lambda t: held.append(t.detach()) or len(held) - 1, lambda i: held[i]):
        z = write(y * 2) * x
    handle = x.register_hook(lambda g: g.sum().item() and None)
    z.sum().backward()
    handle.remove()
    show(y.grad, x.grad)
    y = (x * x + 1).detach().requires_grad_()
    z = torch.utils.checkpoint.checkpoint(lambda t: write(t * 2) * x, y, use_reentrant=False)
    handle = x.register_hook(lambda g: g.sum().item() and None)
    z.sum().backward()
    handle.remove()
    show(y.grad, x.grad)


# %% found: a copy of a view of memory that numpy has
import copy
y = c * 2
array = y.detach().numpy()
parts = copy.deepcopy([y.detach(), y.detach()[:1], y.detach().t()])
y.mul_(3)
array[0] += 1
show(y, *parts)
parts[0].zero_()
show(y, *parts)


# %% found: statistics of a batch norm that is the last of a checkpoint
for stop in (True, False):
    n = torch.nn.BatchNorm1d(3, momentum=0.25)
    with torch.utils.checkpoint.set_checkpoint_early_stop(stop):
        y = torch.utils.checkpoint.checkpoint(n, x, use_reentrant=False)
    show(n.running_mean, n.running_var)
    y.sum().backward()
    show(n.running_mean, n.running_var, n.num_batches_tracked, x.grad)
