""".grad and retain_grad: what is accumulated where; backward inside backward."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
c = torch.tensor([1 + 2j, -3 + 0.5j], requires_grad=True)

class Note: pass

def grad(y, v=x, **options):
    return torch.autograd.grad(y, v, **options)[0]


# %% accumulate: same object the second time
(x * 2).sum().backward()
first = x.grad
(x * 3).sum().backward()
show(x.grad is first, first)


# %% accumulate: new object under create_graph
(x ** 2).sum().backward(create_graph=True)
first = x.grad
(x ** 2).sum().backward(create_graph=True)
show(x.grad is first, first, x.grad)
x.grad = None


# %% accumulate: given gradient is not stolen
g = torch.ones(3)
(x + 0).backward(g)
x.grad.add_(5)
show(g, x.grad)


# %% accumulate: expanded gradient becomes dense
x.sum().backward()
show(x.grad, x.grad.stride(), x.grad.is_contiguous())


# %% accumulate: two leaves do not share one gradient
(x + z).backward(torch.ones(3))
x.grad.zero_()
show(z.grad, x.grad is z.grad)


# %% accumulate: hooks' gradient held outside is not changed
held = []
x.register_hook(held.append)
(x * 2).sum().backward()
(x * 2).sum().backward()
show(held, x.grad)


# %% accumulate: has no history
(x * x).sum().backward()
show(x.grad.requires_grad, x.grad.is_leaf, x.grad.grad_fn)


# %% accumulate: set to zeros by hand
x.grad = torch.zeros(3)
first = x.grad
(x * 2).sum().backward()
show(first, x.grad is first)


# %% accumulate: deleted
(x * 2).sum().backward()
del x.grad
show(x.grad)
(x * 3).sum().backward()
show(x.grad)


# %% accumulate: optimizer's zero_grad
opt = torch.optim.SGD([x], lr=0.1)
(x * 2).sum().backward()
first = x.grad
opt.zero_grad(set_to_none=False)
show(x.grad, x.grad is first)
opt.zero_grad()
show(x.grad)


# %% accumulate: leaf used several times
(x * x + x * 3 + x).sum().backward()
show(x.grad)


# %% accumulate: half-precision leaf
h = torch.ones(3, dtype=torch.float16, requires_grad=True)
(h.float() * 2.5).sum().backward()
show(h.grad)


# %% .grad: wrong shape
def write(): x.grad = torch.ones(2)
show(attempt(write))


# %% .grad: wrong dtype
def write(): x.grad = torch.ones(3, dtype=torch.float64)
show(attempt(write))


# %% .grad: no tensor
def write(): x.grad = 3
show(attempt(write))


# %% .grad: itself
def write(): x.grad = x
show(attempt(write))


# %% .grad: of a tensor that needs none
t = torch.ones(3)
t.grad = torch.zeros(3)
show(t.grad)


# %% .grad: of a non-leaf warns
y = x * 2
y.sum().backward()
show(y.grad)


# %% .grad: kept by retain_grad
y = x * 2
y.retain_grad()
(y * y).sum().backward()
show(y.grad, y.retains_grad, x.retains_grad)


# %% retain_grad: twice, and accumulates over calls
y = x * 2
y.retain_grad()
y.retain_grad()
out = (y * y).sum()
out.backward(retain_graph=True)
out.backward()
show(y.grad)


# %% retain_grad: without grad
show(attempt(lambda: torch.ones(3).retain_grad()))


# %% retain_grad: leaf
show(x.retain_grad(), x.retains_grad)


# %% retain_grad: of a view
y = x * 2
v = y[:2]
v.retain_grad()
(y.sum() + v.sum()).backward()
show(v.grad, x.grad)


# %% retain_grad: kept by autograd.grad too
y = x * 2
y.retain_grad()
grad((y * y).sum())
show(y.grad, x.grad)


# %% backward in backward: in a hook
def hook(g):
    with torch.enable_grad():
        (z * 2).sum().backward()
y = x * 2
y.register_hook(hook)
y.sum().backward()
show(x.grad, z.grad)


# %% backward in backward: in a Function
class Inner(Function):
    @staticmethod
    def forward(ctx, v):
        ctx.save_for_backward(v)
        return v.exp()
    @staticmethod
    def backward(ctx, g):
        v, = ctx.saved_tensors
        with torch.enable_grad():
            w = v.detach().requires_grad_()
            w.exp().backward(g)
        return w.grad
Inner.apply(x).sum().backward()
show(x.grad)


# %% backward in backward: same leaf
def hook(g):
    with torch.enable_grad():
        (x * 10).sum().backward()
y = x * 2
y.register_hook(hook)
y.sum().backward()
show(x.grad)


# %% backward in backward: grad inside a hook
y = x * 2
def hook(g):
    with torch.enable_grad():
        show(grad((z ** 2).sum(), z))
y.register_hook(hook)
y.sum().backward()


# %% accumulate: leaf frozen after the forward pass
y = (x * 2).sum()
x.requires_grad_(False)
y.backward()
show(x.grad)


# %% accumulate: leaf given other values after the forward pass
y = (x * x).sum()
x.data = torch.ones(3)
y.backward()
show(x.grad)


# %% accumulate: .grad scaled between two calls
(x * 2).sum().backward()
x.grad *= 3
(x * 2).sum().backward()
show(x.grad)


# %% layout: .grad lies in memory as its leaf
w = torch.ones(2, 3, 2, 2).to(memory_format=torch.channels_last).requires_grad_()
t = torch.ones(3, 2).t().requires_grad_()
e = torch.ones(1, 3).expand(2, 3).detach().requires_grad_()
for leaf in (w, t, e):
    (leaf * torch.ones(leaf.shape)).sum().backward()
    show(leaf.grad, leaf.grad.stride())


# %% layout: .grad with a history
t = torch.ones(3, 2).t().requires_grad_()
(t * t).sum().backward(create_graph=True)
show(t.grad.stride(), t.grad.grad_fn)


# %% layout: gradients of images with the channels last
image = torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last).requires_grad_()
for function in (torch.relu, lambda x: torch.nn.functional.avg_pool2d(x, 2), lambda x: x * x):
    out = function(image)
    found, = torch.autograd.grad(out, image, torch.ones_like(out))
    show(found, found.stride())
