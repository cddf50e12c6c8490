"""utils.checkpoint: what a region may contain, and what its results and its graph are used for."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
checkpoint = checkpoints.checkpoint
log = []
def both(region, *inputs):
    """Its gradients in both forms."""
    for reentrant in (True, False):
        x.grad = z.grad = None
        checkpoint(region, *(inputs or (x,)), use_reentrant=reentrant).sum().backward()
        show(x.grad, z.grad)


# %% parts: one after the other
o, p = checkpoint(lambda a: (a.sin(), a.exp().sin()), x, use_reentrant=False)
o.sum().backward()
show(attempt(p.sum().backward), x.grad)


# %% parts: retained
o, p = checkpoint(lambda a: (log.append(1), (a.sin(), a.exp().sin()))[1], x, use_reentrant=False)
o.sum().backward(retain_graph=True)
p.sum().backward()
show(x.grad, log)


# %% nothing saved
o = checkpoint(lambda a: (log.append(1), a + 1)[1], x, use_reentrant=False)
o.sum().backward()
show(log, x.grad)


# %% no inputs
l = nn.Linear(2, 2)
for p in l.parameters(): p.data.fill_(0.5)
checkpoint(lambda: l(torch.ones(2)), use_reentrant=False).sum().backward()
show(l.weight.grad)


# %% no_grad inside
def f(a):
    with torch.no_grad(): b = a.sin()
    return a * b
both(f)


# %% detach inside
both(lambda a: a.detach().sin() * a)


# %% backward inside
def f(a):
    with torch.enable_grad():
        w = torch.ones(3, requires_grad=True)
        (w ** 3).sum().backward()
    return a.sin() * w.grad
both(f)


# %% grad inside, of the region's input
def f(a):
    b = a.sin().exp()
    g, = torch.autograd.grad(b.sum(), a, create_graph=True)
    return b * g
checkpoint(f, x, use_reentrant=False).sum().backward()
show(x.grad)


# %% loops and conditions
def f(a):
    for i in range(3):
        a = a.sin() if a.sum() > 0.5 else a * 2
    return a
both(f)


# %% views inside
def f(a):
    u, v = a[:2], a[1:]
    return (u * v).exp().repeat(2).view(2, 2).t()
both(f)


# %% views of the input
both(lambda a: a.sin(), x[1:])
both(lambda a: a.sin(), x.view(3, 1).expand(3, 2))


# %% captured
both(lambda a: (a * z).exp())


# %% result written
o = checkpoint(lambda a: a.sin(), x, use_reentrant=False)
o.mul_(2)
o.sum().backward()
show(x.grad)


# %% result written, saved
o = checkpoint(lambda a: a.exp(), x, use_reentrant=False)
o.mul_(2)
show(attempt(o.sum().backward), x.grad)


# %% results of other kinds
show(checkpoint(lambda a: None, x, use_reentrant=False), attempt(checkpoint, lambda a: None, x, use_reentrant=True))
show(checkpoint(lambda a: 3, x, use_reentrant=True), attempt(checkpoint, 3, x, use_reentrant=False))
show(checkpoint(lambda a: [a * 2, a * 3], x, use_reentrant=True), checkpoint(lambda a: {'k': a}, x, use_reentrant=True))


# %% hooks registered inside
def f(a):
    y = a.sin()
    if y.requires_grad: y.register_hook(lambda g: log.append('inner'))
    if a.requires_grad: a.register_hook(lambda g: log.append('input'))
    return checkpoint(lambda b: b.exp(), y, use_reentrant=False)
checkpoint(f, x, use_reentrant=False).sum().backward()
show(log)


# %% early stop runs finally
def f(a):
    try: return a.sin().exp()
    except Exception:
        log.append('except')
        raise
    finally: log.append('finally')
checkpoint(f, x, use_reentrant=False).sum().backward()
show(log, x.grad)


# %% early stop swallowed
def f(a):
    try: return a.sin().exp()
    except Exception: return a * 2
checkpoint(f, x, use_reentrant=False).sum().backward()
show(x.grad)


# %% backward in a thread
o = checkpoint(lambda a: a.sin().exp(), x, use_reentrant=False).sum()
t = threading.Thread(target=o.backward)
t.start()
t.join()
show(x.grad)


# %% lifetime of arguments
class Big: pass
b = Big()
gone = weakref.ref(b)
o = checkpoint(lambda a, k: a.sin().exp(), x, b, use_reentrant=False)
del b
gc.collect()
show(gone() is None)
o.sum().backward()
del o
gc.collect()
show(gone() is None)


# %% anomaly
with torch.autograd.detect_anomaly(), warnings.catch_warnings():
    warnings.simplefilter('ignore')
    show(attempt(checkpoint(lambda a: (a - 5).log() * 0, x, use_reentrant=False).sum().backward))


# %% partial gradients
o = checkpoint(lambda a, b: a * b, x, z, use_reentrant=False)
show(torch.autograd.grad(o.sum(), x, retain_graph=True), torch.autograd.grad(o.sum(), z))


# %% undefined gradient
class N(Function):
    @staticmethod
    def forward(ctx, a, b): return a * b
    @staticmethod
    def backward(ctx, g): return None, g
N.apply(checkpoint(torch.sin, x, use_reentrant=False), z).sum().backward()
show(x.grad, z.grad)
