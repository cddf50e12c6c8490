"""utils.checkpoint, continued: layers, random numbers, nesting, contexts, second order, errors."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
checkpoint, sequential = checkpoints.checkpoint, checkpoints.checkpoint_sequential
calls = []

def f(a, b=None):
    calls.append((a.requires_grad, torch.is_grad_enabled()))
    return (a.sin() * (z if b is None else b)).exp()
def net():
    torch.manual_seed(2)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
def grads(module): return [p.grad for p in module.parameters()]
def both(run):
    """`run` for both forms, from a clean state."""
    for reentrant in (True, False):
        x.grad = z.grad = None
        calls.clear()
        torch.manual_seed(7)
        run(reentrant)
@contextlib.contextmanager
def noted(name):
    calls.append('+' + name)
    yield
    calls.append('-' + name)


# %% module
def run(reentrant):
    n = net()
    checkpoint(n, x, use_reentrant=reentrant).sum().backward()
    show(x.grad, grads(n))
both(run)


# %% module, constant input
n = net()
checkpoint(n, x.detach(), use_reentrant=False).sum().backward()
show(grads(n))


# %% module, constant input, reentrant
n = net()
o = checkpoint(n, x.detach(), use_reentrant=True)
show(o, attempt(o.sum().backward))


# %% layers one by one
def run(reentrant):
    n, a = net(), x
    for l in n: a = checkpoint(l, a, use_reentrant=reentrant)
    a.sum().backward()
    show(x.grad, grads(n))
both(run)


# %% training
def run(reentrant):
    n = net()
    o = torch.optim.SGD(n.parameters(), 0.1)
    for _ in range(4):
        o.zero_grad()
        loss = (checkpoint(n, x, use_reentrant=reentrant) ** 2).sum()
        loss.backward()
        o.step()
    show(loss, list(n.parameters()))
both(run)


# %% grad modes of the runs
def run(reentrant):
    checkpoint(f, x, use_reentrant=reentrant).sum().backward()
    show(calls)
both(run)


# %% arguments
def run(reentrant):
    def g(a, k, s, l, b):
        calls.append((k, s, l))
        return a * k * b
    checkpoint(g, x, 3, 's', [1], z, use_reentrant=reentrant).sum().backward()
    show(calls, x.grad, z.grad)
both(run)


# %% arguments: none
def run(reentrant):
    checkpoint(lambda a, b: a * 2 if b is None else a, x, None, use_reentrant=reentrant).sum().backward()
    show(x.grad)
both(run)


# %% arguments: the same twice
def run(reentrant):
    checkpoint(lambda a, b: a * b, x, x, use_reentrant=reentrant).sum().backward()
    show(x.grad)
both(run)


# %% arguments: integers
def run(reentrant):
    checkpoint(lambda a, i: a[i] * 2, x, torch.tensor([0, 2]), use_reentrant=reentrant).sum().backward()
    show(x.grad)
both(run)


# %% keywords: tensors
checkpoint(f, x, b=z, use_reentrant=False).sum().backward()
show(x.grad, z.grad, calls)


# %% keywords: all
checkpoint(f, a=x, b=z * 2, use_reentrant=False).sum().backward()
show(x.grad, z.grad)


# %% keywords: unknown
show(attempt(checkpoint, f, x, c=3, use_reentrant=False))
show(attempt(checkpoint, f, x, c=3, d=4, use_reentrant=True))
show(attempt(checkpoint, f, use_reentrant=False))


# %% several results
def run(reentrant):
    o, p = checkpoint(lambda a: (a.sin(), a.exp()), x, use_reentrant=reentrant)
    p.sum().backward()
    show(x.grad, o.requires_grad)
both(run)


# %% several results: mixed
def run(reentrant):
    o, n, p = checkpoint(lambda a: (a.sin(), 3, (a * 2).detach()), x, use_reentrant=reentrant)
    show(n, p.requires_grad, p)
    o.sum().backward()
    show(x.grad)
both(run)


# %% several results: one of them constant
def run(reentrant):
    o, p = checkpoint(lambda a: (a.sin(), torch.ones(3)), x, use_reentrant=reentrant)
    show(p.requires_grad)
    (o * p).sum().backward()
    show(x.grad)
both(run)


# %% result: nested
o = checkpoint(lambda a: {'u': [a.sin()], 'v': a * 2}, x, use_reentrant=False)
(o['u'][0] * o['v']).sum().backward()
show(x.grad)


# %% result: input
def run(reentrant):
    o = checkpoint(lambda a: a, x, use_reentrant=reentrant)
    show(o is x)
    (o * 2).sum().backward()
    show(x.grad)
both(run)


# %% random: dropout
def run(reentrant):
    g = lambda a: F.dropout(a.expand(20, 3), 0.5)
    o = checkpoint(g, x, use_reentrant=reentrant)
    o.sum().backward()
    show(o, x.grad, torch.rand(2))
both(run)


# %% random: not preserved
def run(reentrant):
    g = lambda a: F.dropout(a.expand(20, 3), 0.5)
    o = checkpoint(g, x, use_reentrant=reentrant, preserve_rng_state=False)
    o.sum().backward()
    show(o, x.grad, torch.rand(2))
both(run)


# %% random: several regions
def run(reentrant):
    a = x.expand(8, 3)
    for _ in range(3): a = checkpoint(lambda b: F.dropout(b, 0.3) * 1.1, a, use_reentrant=reentrant)
    torch.rand(5)
    a.sum().backward()
    show(a, x.grad, torch.rand(2))
both(run)


# %% random: explicit
def run(reentrant):
    checkpoint(lambda a: a * torch.randn(3), x, use_reentrant=reentrant).sum().backward()
    show(x.grad, torch.randn(1))
both(run)


# %% random: module in eval
def run(reentrant):
    d = nn.Dropout(0.5).eval()
    checkpoint(d, x, use_reentrant=reentrant).sum().backward()
    show(x.grad)
both(run)


# %% nested: three deep
def run(reentrant):
    g = lambda a: checkpoint(f, a, use_reentrant=reentrant).cos()
    h = lambda a: checkpoint(g, a, use_reentrant=reentrant) * 2
    checkpoint(h, x, use_reentrant=reentrant).sum().backward()
    show(x.grad, z.grad, len(calls))
both(run)


# %% nested: two inside
def run(reentrant):
    g = lambda a: checkpoint(f, a, use_reentrant=reentrant) + checkpoint(torch.sin, a, use_reentrant=reentrant)
    checkpoint(g, x, use_reentrant=reentrant).sum().backward()
    show(x.grad, len(calls))
both(run)


# %% nested: random
g = lambda a: checkpoint(lambda b: F.dropout(b.expand(9, 3)), a * 1, use_reentrant=False) * torch.rand(9, 3)
o = checkpoint(g, x, use_reentrant=False)
o.sum().backward()
show(o, x.grad, torch.rand(2))


# %% context_fn
def contexts():
    calls.append('made')
    return noted('first'), noted('second')
o = checkpoint(lambda a: (calls.append('run'), a.sin().exp())[1], x, use_reentrant=False, context_fn=contexts)
show(calls)
o.sum().backward()
show(calls, x.grad)


# %% context_fn: full second run
o = checkpoint(lambda a: (a.sin().exp(), calls.append('end'))[0], x, use_reentrant=False, early_stop=False,
               context_fn=lambda: (noted('first'), noted('second')))
o.sum().backward()
show(calls)


# %% context_fn: grad mode
o = checkpoint(lambda a: a.sin(), x, use_reentrant=False, context_fn=lambda: (torch.no_grad(), contextlib.nullcontext()))
show(o.requires_grad)


# %% context_fn: no pair
show(attempt(checkpoint, f, x, use_reentrant=False, context_fn=lambda: noted('a')))
show(attempt(checkpoint, f, x, use_reentrant=False, context_fn=lambda: (noted('a'),)))


# %% context_fn: under no_grad
with torch.no_grad(): o = checkpoint(f, x, use_reentrant=False, context_fn=lambda: (noted('a'), noted('b')))
show(calls, o)


# %% early stop: argument
for stop in (True, False):
    calls.clear()
    checkpoint(lambda a: (a.sin().exp(), calls.append('end'))[0], x, use_reentrant=False,
               early_stop=stop).sum().backward()
    show(calls)


# %% early stop: context wins
with checkpoints.set_checkpoint_early_stop(False):
    o = checkpoint(lambda a: (a.sin().exp(), calls.append('end'))[0], x, use_reentrant=False, early_stop=True)
o.sum().backward()
show(calls)


# %% early stop: nested
def g(a):
    o = checkpoint(lambda b: (b.sin().exp(), calls.append('inner'))[0], a, use_reentrant=False)
    calls.append('outer')
    return o
checkpoint(g, x, use_reentrant=False).sum().backward()
show(calls, x.grad)


# %% sequential
def run(reentrant):
    for segments in (1, 2, 3, 5):
        n = net()
        x.grad = None
        sequential(n, segments, x, use_reentrant=reentrant).sum().backward()
        show(x.grad, grads(n))
both(run)


# %% sequential: too many segments
show(attempt(sequential, net(), 6, x, use_reentrant=False))
show(attempt(sequential, net(), 0, x, use_reentrant=False))


# %% sequential: functions
def run(reentrant):
    sequential([torch.sin, torch.exp, lambda a: a * z], 2, x, use_reentrant=reentrant).sum().backward()
    show(x.grad, z.grad)
both(run)


# %% sequential: dropout
def run(reentrant):
    n = nn.Sequential(nn.Dropout(0.4), nn.Dropout(0.4), nn.Dropout(0.4))
    o = sequential(n, 3, x.expand(6, 3), use_reentrant=reentrant)
    o.sum().backward()
    show(o, x.grad)
both(run)


# %% sequential: unknown keyword
show(attempt(sequential, net(), 2, x, use_reentrant=False, foo=1))


# %% second order
g, = torch.autograd.grad(checkpoint(lambda a: a.sin() ** 3, x, use_reentrant=False).sum(), x, create_graph=True)
h, = torch.autograd.grad(g.sum(), x, create_graph=True)
show(g.detach(), h.detach(), torch.autograd.grad(h.sum(), x))


# %% second order: parameters
n = net()
g, = torch.autograd.grad(checkpoint(n, x, use_reentrant=False).sum(), x, create_graph=True)
(g ** 2).sum().backward()
show(grads(n)[0], grads(n)[2])


# %% second order: reentrant
show(attempt(lambda: torch.autograd.grad(checkpoint(f, x, use_reentrant=True).sum(), x, create_graph=True)))


# %% hooks: inside
def run(reentrant):
    def g(a):
        b = a.sin()
        if b.requires_grad: b.register_hook(lambda v: (calls.append('hook'), v * 2)[1])
        return b.exp()
    checkpoint(g, x, use_reentrant=reentrant).sum().backward()
    show(calls, x.grad)
both(run)


# %% hooks: of the input
def run(reentrant):
    y = x * 1
    y.register_hook(lambda v: (calls.append(v.tolist()), v * 3)[1])
    checkpoint(lambda a: a.sin(), y, use_reentrant=reentrant).sum().backward()
    show(calls, x.grad)
both(run)


# %% hooks: of the output
def run(reentrant):
    o = checkpoint(lambda a: a.sin(), x, use_reentrant=reentrant)
    o.register_hook(lambda v: v * 3)
    o.retain_grad()
    (o * z).sum().backward()
    show(x.grad, o.grad)
both(run)


# %% hooks: of modules
def run(reentrant):
    n = net()
    n[0].register_forward_hook(lambda m, i, o: calls.append('forward'))
    n[0].register_full_backward_hook(lambda m, gi, go: calls.append('backward'))
    checkpoint(n, x, use_reentrant=reentrant).sum().backward()
    show(calls, x.grad)
both(run)


# %% hooks: saved tensors, around
with graph.saved_tensors_hooks(lambda t: (calls.append('pack'), t)[1], lambda t: (calls.append('unpack'), t)[1]):
    o = checkpoint(lambda a: a.sin().exp(), x, use_reentrant=False)
show(calls)
o.sum().backward()
show(calls, x.grad)


# %% hooks: saved tensors, inside
def g(a):
    with graph.saved_tensors_hooks(lambda t: (calls.append('pack'), t)[1], lambda t: (calls.append('unpack'), t)[1]):
        b = a.sin()
    return b.exp()
checkpoint(g, x, use_reentrant=False).sum().backward()
show(calls, x.grad)


# %% hooks: saved on the CPU
with graph.save_on_cpu(): o = checkpoint(f, x, use_reentrant=False)
o.sum().backward()
show(x.grad, len(calls))


# %% raises in first run
def run(reentrant):
    def g(a): raise ValueError('mine')
    show(attempt(checkpoint, g, x, use_reentrant=reentrant), torch.is_grad_enabled())
both(run)


# %% raises in second run
def run(reentrant):
    def g(a):
        calls.append(1)
        if len(calls) == 2: raise ValueError('mine')
        return a.sin()
    o = checkpoint(g, x, use_reentrant=reentrant).sum()
    show(attempt(lambda: o.backward(retain_graph=True)), torch.is_grad_enabled(), x.grad)
    o.backward()
    show(x.grad)
both(run)


# %% retained
def run(reentrant):
    o = checkpoint(f, x, use_reentrant=reentrant).sum()
    o.backward(retain_graph=True)
    o.backward()
    show(x.grad, len(calls), attempt(o.backward))
both(run)


# %% inputs
o = checkpoint(f, x, z, use_reentrant=False)
o.sum().backward(inputs=[z])
show(x.grad, z.grad)


# %% inside of a larger graph
def run(reentrant):
    y = x * 2
    o = checkpoint(f, y, use_reentrant=reentrant)
    (o * y).sum().backward()
    show(x.grad, z.grad)
both(run)


# %% writes inside
def run(reentrant):
    def g(a):
        b = a * 2
        b.mul_(3).add_(a)
        b[0] = 5
        return b.sin()
    checkpoint(g, x, use_reentrant=reentrant).sum().backward()
    show(x.grad)
both(run)


# %% state outside
def run(reentrant):
    k = [2.0]
    o = checkpoint(lambda a: a * k[0], x, use_reentrant=reentrant)
    k[0] = 10.0
    o.sum().backward()
    show(x.grad)
both(run)


# %% batch norm
def run(reentrant):
    n = nn.Sequential(nn.BatchNorm1d(3), nn.Sigmoid())
    checkpoint(n, x * torch.arange(4.).view(4, 1), use_reentrant=reentrant).pow(2).sum().backward()
    show(n[0].running_mean, n[0].num_batches_tracked, x.grad)
both(run)


# %% batch norm comes last
n = nn.BatchNorm1d(3)
checkpoint(n, x * torch.arange(4.).view(4, 1), use_reentrant=False).pow(2).sum().backward()
show(n.running_mean, n.num_batches_tracked)


# %% Function inside, its context
class Sq(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a
    @staticmethod
    def backward(ctx, g): return g * 2 * ctx.saved_tensors[0]
def run(reentrant):
    checkpoint(lambda a: Sq.apply(Sq.apply(a)), x, use_reentrant=reentrant).sum().backward()
    show(x.grad)
both(run)


# %% decorator
def checkpointed(function): return lambda *a: checkpoint(function, *a, use_reentrant=False)
@checkpointed
def g(a, b): return (a * b).exp()
g(x, z).sum().backward()
show(x.grad, z.grad)


# %% dtypes
def run(reentrant):
    checkpoint(lambda a: a.half().sin().double(), x, use_reentrant=reentrant).sum().backward()
    show(x.grad)
both(run)


# %% complex
c = torch.tensor([1 + 2j, 0.5j], requires_grad=True)
checkpoint(lambda a: (a * a).abs(), c, use_reentrant=False).sum().backward()
show(c.grad)


# %% positional use_reentrant
show(attempt(checkpoint, f, x, z, True, use_reentrant=False))


# %% inference mode
with torch.inference_mode(): show(checkpoint(f, torch.ones(3), torch.ones(3), use_reentrant=False))


# %% device states
show(checkpoints.get_device_states(x, 3, [z]), attempt(checkpoints.set_device_states, [], [], device_type='cuda'))


# %% device type
d = checkpoints.DefaultDeviceType
show(d.get_device_type())
d.set_device_type('xpu')
show(d.get_device_type())
d.set_device_type('cpu')


# %% detach_variable
a, n, b = checkpoints.detach_variable((x * 2, 3, torch.ones(1)))
show(a, a.is_leaf, n, b, attempt(checkpoints.detach_variable, [x]))


# %% validity
checkpoints.check_backward_validity([torch.ones(1), 3])
checkpoints.check_backward_validity([x])


# %% noop
show([type(c).__name__ for c in checkpoints.noop_context_fn()])
