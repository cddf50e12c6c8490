"""Writes to saved tensors that are allowed, settings of the engine, what modules are called."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
allow = graph.allow_mutation_on_saved_tensors
threads = torch.autograd.is_multithreading_enabled


# %% writes: operand
with allow():
    y = x.clone()
    out = (y ** 2).sum()
    y.sin_()
    out.backward()
show(x.grad, y)


# %% writes: result
with allow():
    y = x.exp()
    y.mul_(3).add_(1)
    y.sum().backward()
show(x.grad, y)


# %% writes: several
with allow():
    y = x * 1
    parts = []
    for i in range(3):
        parts.append((y * y).sum())
        y.mul_(2)
    sum(parts).backward()
show(x.grad, y._version)


# %% writes: leaf
w = torch.ones(3, requires_grad=True)
with allow():
    out = (w ** 3).sum()
    with torch.no_grad(): w.mul_(5)
    out.backward()
show(w, w.grad)


# %% writes: optimizer
w = torch.ones(3, requires_grad=True)
with allow():
    o = torch.optim.SGD([w], 0.5)
    out = (w ** 2).sum()
    out.backward(retain_graph=True)
    o.step()
    out.backward()
show(w, w.grad)


# %% writes: Adam
w = torch.ones(3, requires_grad=True)
with allow():
    o = torch.optim.Adam([w], 0.5)
    out = (w ** 2).sum()
    out.backward(retain_graph=True)
    o.step()
    out.backward()
show(w, w.grad)


# %% writes: data
with allow():
    y = x * 1
    out = (y * y).sum()
    y.data.zero_()
    out.backward()
show(x.grad)


# %% writes: out
with allow():
    y = torch.ones(3)
    out = (x * y).sum()
    torch.add(y, 4, out=y)
    out.backward()
show(x.grad, y)


# %% writes: through a view
with allow():
    y = x * 1
    out = (y ** 2).sum()
    y[1:].mul_(3)
    out.backward()
show(x.grad, y)


# %% writes: index
with allow():
    y = x * 1
    out = (y ** 2).sum()
    y[0] = 5
    out.backward()
show(x.grad, y)


# %% writes: saved view
with allow():
    y = x * 1
    v = y[:2]
    out = (v ** 2).sum()
    y.mul_(3)
    out.backward()
show(x.grad, v)


# %% writes: Function
class Square(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a
    @staticmethod
    def backward(ctx, g): return g * 2 * ctx.saved_tensors[0]
with allow():
    y = x * 1
    out = Square.apply(y).sum()
    y.zero_()
    out.backward()
show(x.grad)


# %% writes: dropout's own
with allow():
    y = F.relu(x * 1, inplace=True)
    out = (y * z).sum()
    y.add_(1)
    out.backward()
show(x.grad, z.grad)


# %% writes: second order
with allow():
    y = x.clone()
    g, = torch.autograd.grad((y ** 3).sum(), x, create_graph=True)
    y.mul_(2)
    show(g.detach(), torch.autograd.grad(g.sum(), x))


# %% writes: retained
with allow():
    y = x.clone()
    out = (y ** 2).sum()
    y.exp_()
    out.backward(retain_graph=True)
    out.backward()
show(x.grad)


# %% writes: twice
with allow():
    y = x.clone()
    out = (y ** 2).sum()
    y.exp_()
    out.backward()
    show(attempt(out.backward))


# %% writes: after backward
with allow():
    y = x.clone()
    (y ** 2).sum().backward()
    y.mul_(2)
show(x.grad, y)


# %% writes: checkpoint
with allow():
    y = x.clone()
    out = checkpoints.checkpoint(lambda a: a.sin() * a, y, use_reentrant=False).sum()
    out.backward()
show(x.grad)


# %% writes: saved attribute
with allow():
    y = x.clone()
    out = y * y
    y.mul_(2)
    show(out.grad_fn._saved_self, out.grad_fn._saved_self is y)


# %% writes: layer
torch.manual_seed(0)
l = nn.Linear(3, 2)
with allow():
    out = l(x * 1).tanh()
    with torch.no_grad():
        for p in l.parameters(): p.zero_()
    out.sum().backward()
show(x.grad, l.weight.grad, l.bias.grad)


# %% backward outside
with allow(): out = (x * z).sum()
show(attempt(out.backward))


# %% backward in another
with allow(): out = (x * z).sum()
with allow(): show(attempt(out.backward))


# %% backward outside, nothing saved
with allow(): out = (x + z).sum()
out.backward()
show(x.grad)


# %% saved attribute outside
with allow(): out = x * z
show(attempt(lambda: out.grad_fn._saved_self))


# %% recorded before
y = x.clone()
out = (y ** 2).sum()
with allow():
    y.sin_()
    show(attempt(out.backward))


# %% recorded before, unwritten
out = (x * z).sum()
with allow(): out.backward()
show(x.grad)


# %% nested
with allow(): show(attempt(allow().__enter__))
with allow(): show((x * z).sum())


# %% raises inside
def f():
    with allow(): raise ValueError('mine')
show(attempt(f))
with allow(): (x * z).sum().backward()
show(x.grad)


# %% hooks disabled
with graph.disable_saved_tensors_hooks('none here'): show(attempt(allow().__enter__))


# %% disabling inside
def f():
    with allow():
        with graph.disable_saved_tensors_hooks('none here'): pass
show(attempt(f))


# %% other hooks inside
log = []
with allow():
    with graph.saved_tensors_hooks(lambda t: (log.append(1), t * 2)[1], lambda t: t): out = (x * z).sum()
    out.backward()
show(x.grad, z.grad, log)


# %% decorator
@allow()
def f(a):
    y = a.clone()
    out = (y ** 2).sum()
    y.zero_()
    return torch.autograd.grad(out, a)
show(f(x))


# %% clear
with allow() as kept:
    out = (x * z).sum()
    kept.clear()
    show(attempt(out.backward))


# %% no_grad inside
with allow(), torch.no_grad():
    y = x * z
    y.mul_(2)
show(y)


# %% multithreading: context
show(threads())
with torch.autograd.set_multithreading_enabled(False):
    show(threads())
    with torch.autograd.set_multithreading_enabled(True): show(threads())
    show(threads())
show(threads())


# %% multithreading: call
torch.autograd.set_multithreading_enabled(False)
show(threads())
torch.autograd.grad_mode.set_multithreading_enabled(True)
show(threads())


# %% multithreading: backward
with torch.autograd.set_multithreading_enabled(False): (x * z).sum().backward()
show(x.grad)


# %% multithreading: decorator
mode = torch.autograd.set_multithreading_enabled(False)
@mode
def f(): return threads()
show(threads(), f(), threads(), f.__name__)
torch.autograd.set_multithreading_enabled(True)


# %% multithreading: other thread
seen = []
with torch.autograd.set_multithreading_enabled(False):
    t = threading.Thread(target=lambda: seen.append(threads()))
    t.start()
    t.join()
    show(seen, threads())


# %% multithreading: raises
def f():
    with torch.autograd.set_multithreading_enabled(False): raise ValueError('mine')
show(attempt(f), threads())


# %% multithreading: no bool
show(attempt(torch.autograd.set_multithreading_enabled, 1), attempt(torch.autograd.set_multithreading_enabled, None))
show(threads())


# %% multithreading: fields
m = torch.autograd.set_multithreading_enabled(False)
show(m.mode, m.prev, m.clone().mode)
torch.autograd.set_multithreading_enabled(True)


# %% layout policy
with torch.autograd.enforce_grad_layout_policy(False): (x * z).sum().backward()
show(x.grad, torch.autograd.grad_mode.enforce_grad_layout_policy is torch.autograd.enforce_grad_layout_policy)
with torch.autograd.enforce_grad_layout_policy(): show(torch.autograd.enforce_grad_layout_policy().mode)


# %% layout policy: decorator
@torch.autograd.enforce_grad_layout_policy(False)
def f(a): return torch.autograd.grad((a ** 2).sum(), a)
show(f(x), f.__name__, attempt(torch.autograd.enforce_grad_layout_policy, 1))


# %% modules
for n in ('anomaly_mode', 'function', 'functional', 'grad_mode', 'graph'):
    show(getattr(torch.autograd, n).__name__)
a = torch.autograd.anomaly_mode
show(a.detect_anomaly is torch.autograd.detect_anomaly, a.set_detect_anomaly is torch.autograd.set_detect_anomaly)
