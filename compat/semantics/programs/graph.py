"""Edges, partial backward calls, saved-tensor hooks and version counters."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)


# %% backward: no grad
torch.autograd.backward(torch.ones(3))


# %% backward: no grad, gradient
torch.autograd.backward(torch.ones(3), torch.ones(3))


# %% backward: no scalar
torch.autograd.backward(x * 2)


# %% backward: gradient's shape
torch.autograd.backward(torch.ones(3), torch.ones(2))


# %% backward: counts
torch.autograd.backward([(x * 2).sum(), x.sum()], [None])


# %% backward: no inputs
(x * 2).sum().backward(inputs=[])


# %% backward: input without grad
(x * 2).sum().backward(inputs=torch.ones(3))


# %% backward: inner input
y = x * 2
(y * 3).sum().backward(inputs=[y])
show(x.grad, y.grad, y.retains_grad)


# %% backward: hooks of inner input
y, log = x * 2, []
y.grad_fn.register_hook(lambda *a: log.append('post'))
y.grad_fn.register_prehook(lambda *a: log.append('pre'))
(y * 3).sum().backward(inputs=[y])
show(log, y.grad)


# %% grad: no grad
torch.autograd.grad((x * 2).sum(), torch.ones(3))


# %% grad: unused
torch.autograd.grad((x * 2).sum(), [x, z])


# %% grad: unused allowed
show(torch.autograd.grad((x * 2).sum(), [x, z], allow_unused=True))


# %% grad: twice the same
show(torch.autograd.grad((x * 2).sum(), [x, x]))


# %% edge
y = x * 2
w = y * 3
e, le = graph.get_gradient_edge(y), graph.get_gradient_edge(x)
show(e.node is y.grad_fn, e.output_nr, le.node.name())
show(torch.autograd.grad(w.sum(), [e, le], retain_graph=True))
show(torch.autograd.grad(graph.get_gradient_edge(w.sum()), [y], retain_graph=True))
torch.autograd.backward(graph.get_gradient_edge(w), torch.ones(3))
show(x.grad)


# %% edge: no grad
graph.get_gradient_edge(torch.ones(3))


# %% edge of a Function
class F(Function):
    @staticmethod
    def forward(c, a): return a * 2
    @staticmethod
    def backward(c, g): return g * 2
y = F.apply(x)
show(torch.autograd.grad((y * 3).sum(), graph.get_gradient_edge(y)))


# %% saved: attributes
show((x * z).grad_fn._saved_self, x.exp().grad_fn._saved_result, x.sum(0).grad_fn._saved_dim)


# %% saved: no attribute
(x * z).grad_fn._saved_nothing


# %% hooks: order
log = []
def pack(t): log.append((list(t.shape), t.requires_grad, t.grad_fn, torch.is_grad_enabled()))
with graph.saved_tensors_hooks(lambda t: (pack(t), t.detach())[1], lambda t: (log.append('unpack'), t)[1]):
    y = (x * z).exp() * x
show(log)
y.sum().backward()
show(log, x.grad, z.grad)


# %% hooks: written
with graph.saved_tensors_hooks(lambda t: t.add_(1), lambda t: t): (x * 1).exp() * x


# %% hooks: no tensor
with graph.saved_tensors_hooks(lambda t: t, lambda t: 3): y = x * z
y.sum().backward()


# %% hooks: second order
with graph.saved_tensors_hooks(lambda t: t.detach() * 2, lambda t: t): w = (x * z).exp()
g = torch.autograd.grad(w.sum(), [x, z], create_graph=True)
show([v.detach() for v in g], torch.autograd.grad(g[0].sum(), [x, z]))


# %% hooks: other dtype
with graph.saved_tensors_hooks(lambda t: t.double(), lambda t: t): y = x * z
y.sum().backward()
show(x.grad, z.grad)


# %% hooks: other shape
with graph.saved_tensors_hooks(lambda t: t[:2], lambda t: t): y = x * z
y.sum().backward()


# %% hooks: innermost
log = []
with graph.saved_tensors_hooks(lambda t: (log.append(1), t)[1], lambda t: t):
    with graph.saved_tensors_hooks(lambda t: (log.append(2), t)[1], lambda t: t): x * z
    x.exp()
show(log)


# %% hooks: raise
def pack(t): raise ValueError('pack')
with graph.saved_tensors_hooks(pack, lambda t: t): x * z


# %% on cpu
with graph.save_on_cpu(): y = (x * z).exp()
y.sum().backward()
show(x.grad, z.grad)


# %% disabled
with graph.disable_saved_tensors_hooks('no hooks here'):
    show((x * z).sum())
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t): pass


# %% disabled inside
with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    with graph.disable_saved_tensors_hooks('no hooks here'): pass


# %% disabled, then not
with graph.disable_saved_tensors_hooks('a'): pass
with graph.save_on_cpu(): show(x * z)


# %% versions
y = x * 1
w = y * y
graph.increment_version(y)
show(y._version)
graph.increment_version([y, w])
show(y._version, w._version)
w.sum().backward()
