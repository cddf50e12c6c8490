"""Grad mode in backward, in hooks and in Functions; what needs grad."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)

def modes():
    return torch.is_grad_enabled(), torch.is_inference_mode_enabled()


# %% requires_grad: any operand
a = torch.ones(3)
show((a + a).requires_grad, (a + x).requires_grad, torch.stack([a, x]).requires_grad)


# %% requires_grad: integer results
show(x.argmax().requires_grad, (x > 0).requires_grad, x.sort().indices.requires_grad, x.sort().values.requires_grad)


# %% requires_grad: conversions
show(x.double().requires_grad, x.long().requires_grad, x.half().requires_grad, x.bool().requires_grad)


# %% requires_grad: creation from a tensor
show(torch.zeros_like(x).requires_grad, torch.zeros_like(x, requires_grad=True), x.new_ones(2).requires_grad)


# %% requires_grad: tensor of a tensor warns
show(torch.tensor(x))


# %% requires_grad: sign, round and floor pass zeros
show(x.sign().requires_grad, x.round().requires_grad, x.floor().grad_fn.name())


# %% requires_grad: comparison in a where
show(torch.where(x > 0, 1.0, 0.0).requires_grad, torch.where(x > 0, x, 0.0).requires_grad)


# %% requires_grad: frozen parameters
net = nn.Linear(3, 2)
net.requires_grad_(False)
show(net(torch.ones(3)).requires_grad, net(x).requires_grad)


# %% requires_grad: turned off and on between uses
y = x * 2
x.requires_grad_(False)
z = x * 3
x.requires_grad_(True)
(y + z).sum().backward()
show(x.grad, z.requires_grad)


# %% is_leaf: who is one
with torch.no_grad():
    a = x * 2
show(x.is_leaf, (x * 2).is_leaf, a.is_leaf, torch.ones(2).is_leaf, x.detach().is_leaf, x.double().is_leaf)


# %% backward: hooks run without grad mode
x.register_hook(lambda g: show(modes(), g.requires_grad))
(x * x).sum().backward()


# %% backward: hooks under create_graph
x.register_hook(lambda g: show(modes(), g.requires_grad))
torch.autograd.grad((x * x).sum(), x, create_graph=True)


# %% backward: hooks of a backward under no_grad, with create_graph
x.register_hook(lambda g: show(modes(), g.requires_grad))
y = (x * x).sum()
with torch.no_grad():
    y.backward(create_graph=True)
show(x.grad)


# %% backward: enable_grad in a hook
def hook(g):
    with torch.enable_grad():
        show((x * g).requires_grad)
x.register_hook(hook)
(x * 2).sum().backward()


# %% backward: mode set in a hook does not leak
def hook(g): torch.set_grad_enabled(True)
x.register_hook(hook)
(x * 2).sum().backward()
show(modes())


# %% backward: mode after an exception in a hook
def hook(g): raise ValueError("hook")
x.register_hook(hook)
show(attempt(lambda: (x * 2).sum().backward()), modes())


# %% Function: forward runs without grad mode
class Double(Function):
    @staticmethod
    def forward(ctx, v):
        show(modes(), v.requires_grad)
        return v * 2
    @staticmethod
    def backward(ctx, g):
        show(modes())
        return g * 2
Double.apply(x).sum().backward()


# %% Function: enable_grad in forward
class Double(Function):
    @staticmethod
    def forward(ctx, v):
        with torch.enable_grad():
            show((v * 2).requires_grad, (v.detach().requires_grad_() * 2).requires_grad)
        return v * 2
    @staticmethod
    def backward(ctx, g): return g * 2
show(Double.apply(x).grad_fn.name())


# %% Function: backward under create_graph
class Double(Function):
    @staticmethod
    def forward(ctx, v): return v * 2
    @staticmethod
    def backward(ctx, g):
        show(modes())
        return g * 2
torch.autograd.grad(Double.apply(x).sum(), x, create_graph=True)


# %% Function: under no_grad
class Double(Function):
    @staticmethod
    def forward(ctx, v):
        show(ctx.needs_input_grad)
        return v * 2
    @staticmethod
    def backward(ctx, g): return g * 2
with torch.no_grad():
    show(Double.apply(x))


# %% Function: once_differentiable has no grad mode
class Double(Function):
    @staticmethod
    def forward(ctx, v): return v * 2
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        show(modes())
        return g * 2
torch.autograd.grad(Double.apply(x).sum(), x, create_graph=True)


# %% optimizer: step runs without grad mode
opt = torch.optim.SGD([x], lr=0.1)
def closure():
    show(modes())
    opt.zero_grad()
    loss = (x * x).sum()
    loss.backward()
    return loss
show(opt.step(closure), x)
