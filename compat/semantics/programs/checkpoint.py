"""utils.checkpoint: both forms, nested, random numbers, errors."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)

from_calls = calls = []
checkpoint, checkpoint_sequential = checkpoints.checkpoint, checkpoints.checkpoint_sequential
def f(a):
    calls.append('f')
    return (a.sin() * z).exp()
def both(function, **how):
    out = checkpoint(function, x, **how)
    before = len(calls)
    out.sum().backward()
    show(out, before, len(calls), x.grad, z.grad)
def changing(first, then):
    runs = []
    def region(a):
        runs.append(1)
        return first(a) if len(runs) == 1 else then(a)
    return region
@contextlib.contextmanager
def noted(name):
    calls.append('+' + name)
    yield
    calls.append('-' + name)
fewer = lambda: changing(lambda a: a.sin().cos(), lambda a: a * 2)
more = lambda: changing(lambda a: a.sin(), lambda a: a.sin().cos().exp())
shorter = lambda: changing(lambda a: a.sin(), lambda a: a[:2].sin())
wider = lambda: changing(lambda a: a.sin().cos(), lambda a: a.double().sin().cos())
def go(region, **how):
    checkpoint(region, x, use_reentrant=False, **how).sum().backward()
    show(x.grad)


# %% reentrant
both(f, use_reentrant=True)


# %% non-reentrant
both(f, use_reentrant=False)


# %% unspecified
both(f)


# %% reentrant: keyword
checkpoint(f, x, use_reentrant=True, foo=1)


# %% reentrant: debug
checkpoint(f, x, use_reentrant=True, debug=True)


# %% reentrant: context_fn
checkpoint(f, x, use_reentrant=True, context_fn=lambda: (noted('a'), noted('b')))


# %% determinism_check
checkpoint(f, x, use_reentrant=False, determinism_check='some')


# %% keywords
both(lambda a, b=2: a * b, b=3, use_reentrant=False)


# %% nodes
show(checkpoint(f, x, use_reentrant=True).grad_fn, checkpoint(f, x, use_reentrant=False).grad_fn)


# %% saved attribute
show(checkpoint(f, x, use_reentrant=False).grad_fn._saved_result)
show(calls)


# %% reentrant: grad()
torch.autograd.grad(checkpoint(f, x, use_reentrant=True).sum(), x)


# %% reentrant: inputs
checkpoint(f, x, use_reentrant=True).sum().backward(inputs=[x])


# %% grad()
show(torch.autograd.grad(checkpoint(f, x, use_reentrant=False).sum(), x))


# %% second order
g, = torch.autograd.grad(checkpoint(f, x, use_reentrant=False).sum(), x, create_graph=True)
show(g.detach(), torch.autograd.grad(g.sum(), [x, z]))


# %% reentrant: no grad
show(checkpoint(lambda a: a * 2, torch.ones(3), use_reentrant=True))


# %% no grad
show(checkpoint(lambda a: a * 2, torch.ones(3), use_reentrant=False))


# %% no_grad
with torch.no_grad():
    show(checkpoint(f, x, use_reentrant=False), checkpoint(f, x, use_reentrant=True))


# %% retain_graph
o = checkpoint(f, x, use_reentrant=False).sum()
o.backward(retain_graph=True)
show(len(calls))
o.backward()
show(len(calls), x.grad)


# %% twice
o = checkpoint(f, x, use_reentrant=False).sum()
o.backward()
o.backward()


# %% reentrant: twice
o = checkpoint(f, x, use_reentrant=True).sum()
o.backward()
o.backward()


# %% fewer
go(fewer())


# %% fewer, full
go(fewer(), early_stop=False)


# %% fewer, unchecked
go(fewer(), determinism_check='none')


# %% more
go(more())


# %% more, full
go(more(), early_stop=False)


# %% shorter
go(shorter())


# %% shorter, full
go(shorter(), early_stop=False)


# %% shorter, unchecked
go(shorter(), determinism_check='none')


# %% wider
go(wider())


# %% wider, unchecked
go(wider(), determinism_check='none')


# %% written input
a = x * 1
o = checkpoint(f, a, use_reentrant=False)
a.add_(1)
o.sum().backward()


# %% reentrant: written input
a = x * 1
o = checkpoint(f, a, use_reentrant=True)
a.add_(1)
o.sum().backward()


# %% several results
a, b, c = checkpoint(lambda a: (a * 2, a.exp(), 3), x, use_reentrant=False)
show(a, b, c)
(a * b).sum().backward()
show(x.grad)


# %% reentrant: several results
a, b, c = checkpoint(lambda a: (a * 2, a.exp(), 3), x, use_reentrant=True)
show(a, b, c)
(a * b).sum().backward()
show(x.grad)


# %% tuple of inputs
go(lambda a: a.sin() * 2)
checkpoint(lambda p: p[0].sin() * p[1].exp(), (x, z), use_reentrant=False).sum().backward()
show(x.grad, z.grad)


# %% reentrant: nothing to do
checkpoint(lambda a: a.detach(), x, use_reentrant=True).sum().backward()


# %% contexts
go(f, context_fn=lambda: (noted('a'), noted('b')), early_stop=False)
show(calls)


# %% contexts, suppressed
go(lambda a: 1 / 0, context_fn=lambda: (contextlib.suppress(ZeroDivisionError), noted('b')))


# %% raises
go(lambda a: 1 / 0)


# %% raises in second run
go(changing(lambda a: a.sin(), lambda a: 1 / 0))


# %% debug and context_fn
go(f, debug=True, context_fn=lambda: (noted('a'), noted('b')))


# %% early stop
def g(a):
    y = a.sin()
    calls.append(1)
    y = y * 2
    calls.append(2)
    return y
go(g)
show(calls)
go(g, early_stop=False)
show(calls)
with checkpoints.set_checkpoint_early_stop(False): o = checkpoint(g, x, use_reentrant=False)
o.sum().backward()
show(calls)


# %% backward inside
def g(a):
    y = a.sin()
    w = y.cos()
    d, = torch.autograd.grad(w.sum(), a, retain_graph=True)
    return d * w
o = checkpoint(g, x * 1, use_reentrant=False)
o.sum().backward()
show(o, x.grad)


# %% backward inside, freed
def g(a):
    y = a.sin()
    w = y.cos()
    d, = torch.autograd.grad(w.sum(), a)
    return a.cos() * d
o = checkpoint(g, x * 1, use_reentrant=False)
o.sum().backward()
show(o, x.grad)


# %% saved tensors twice
class Twice(Function):
    @staticmethod
    def forward(c, a): c.save_for_backward(a); return a * 2
    @staticmethod
    def backward(c, g): c.saved_tensors; return g * c.saved_tensors[0]
go(lambda a: Twice.apply(a.sin()))


# %% group
with checkpoints.GraphExecGroup():
    a, b = checkpoint(lambda a: (calls.append(1), a.sin(), a.cos())[1:], x, use_reentrant=False)
    a.sum().backward(retain_graph=True)
    b.sum().backward(retain_graph=True)
    show(calls, x.grad)
    a.sum().backward()


# %% hooks disabled
with graph.disable_saved_tensors_hooks('no hooks'): go(f)


# %% sequential
m = nn.Sequential(*[nn.Linear(3, 3) for _ in range(5)])
for how in (dict(use_reentrant=True), dict(use_reentrant=False), {}):
    x.grad = None
    o = checkpoint_sequential(m, 2, x.view(1, 3), **how)
    o.sum().backward()
    show(o, x.grad, m[0].weight.grad)


# %% sequential: keyword
checkpoint_sequential([f], 1, x, use_reentrant=False, foo=3)


# %% sequential: list
o = checkpoint_sequential([f, torch.sin, f, torch.cos], 3, x, use_reentrant=False)
o.sum().backward()
show(o, x.grad, calls)


# %% nested True True
def inner(a): calls.append('i'); return a.sin().exp()
def outer(a): calls.append('o'); return checkpoint(inner, a.cos(), use_reentrant=True).tanh()
with checkpoints.set_checkpoint_early_stop(True): o = checkpoint(outer, x, use_reentrant=True)
o.sum().backward()
show(calls, x.grad)


# %% nested True False
def inner(a): calls.append('i'); return a.sin().exp()
def outer(a): calls.append('o'); return checkpoint(inner, a.cos(), use_reentrant=True).tanh()
with checkpoints.set_checkpoint_early_stop(False): o = checkpoint(outer, x, use_reentrant=True)
o.sum().backward()
show(calls, x.grad)


# %% nested True None
def inner(a): calls.append('i'); return a.sin().exp()
def outer(a): calls.append('o'); return checkpoint(inner, a.cos(), use_reentrant=True).tanh()
with checkpoints.set_checkpoint_early_stop(None): o = checkpoint(outer, x, use_reentrant=True)
o.sum().backward()
show(calls, x.grad)


# %% nested False True
def inner(a): calls.append('i'); return a.sin().exp()
def outer(a): calls.append('o'); return checkpoint(inner, a.cos(), use_reentrant=False).tanh()
with checkpoints.set_checkpoint_early_stop(True): o = checkpoint(outer, x, use_reentrant=False)
o.sum().backward()
show(calls, x.grad)


# %% nested False False
def inner(a): calls.append('i'); return a.sin().exp()
def outer(a): calls.append('o'); return checkpoint(inner, a.cos(), use_reentrant=False).tanh()
with checkpoints.set_checkpoint_early_stop(False): o = checkpoint(outer, x, use_reentrant=False)
o.sum().backward()
show(calls, x.grad)


# %% nested False None
def inner(a): calls.append('i'); return a.sin().exp()
def outer(a): calls.append('o'); return checkpoint(inner, a.cos(), use_reentrant=False).tanh()
with checkpoints.set_checkpoint_early_stop(None): o = checkpoint(outer, x, use_reentrant=False)
o.sum().backward()
show(calls, x.grad)


# %% random True True
o = checkpoint(lambda a: nn.functional.dropout(a * 2, 0.5), x, use_reentrant=True,
               preserve_rng_state=True)
torch.rand(2)
o.sum().backward()
show(o, x.grad, torch.rand(1))


# %% random True False
o = checkpoint(lambda a: nn.functional.dropout(a * 2, 0.5), x, use_reentrant=True,
               preserve_rng_state=False)
torch.rand(2)
o.sum().backward()
show(o, x.grad, torch.rand(1))


# %% random False True
o = checkpoint(lambda a: nn.functional.dropout(a * 2, 0.5), x, use_reentrant=False,
               preserve_rng_state=True)
torch.rand(2)
o.sum().backward()
show(o, x.grad, torch.rand(1))


# %% random False False
o = checkpoint(lambda a: nn.functional.dropout(a * 2, 0.5), x, use_reentrant=False,
               preserve_rng_state=False)
torch.rand(2)
o.sum().backward()
show(o, x.grad, torch.rand(1))


# %% debug report
try: go(wider(), debug=True)
except checkpoints.CheckpointError as e:
    show(str(e).split('$')[0], str(e).split('during the original forward:')[1].splitlines()[2],
         str(e).split('ERROR:')[1], type(e.__cause__).__name__)
