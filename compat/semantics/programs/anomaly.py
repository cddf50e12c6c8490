"""detect_anomaly: what is named, what is raised, what the mode leaves behind."""

x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)

class Fails(Function):
    @staticmethod
    def forward(ctx, a): return a * 2
    @staticmethod
    def backward(ctx, g): raise ValueError('oops')
class Second(Function):
    @staticmethod
    def forward(ctx, a): return a * 2
    @staticmethod
    def backward(ctx, g): return Fails.apply(g)


# %% warns
with torch.autograd.detect_anomaly(): show((x * 2).sum().backward(), x.grad)


# %% not recorded
y = Fails.apply(x).sum()
with torch.autograd.set_detect_anomaly(True): y.backward()


# %% nan
w = torch.zeros(3, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    show(attempt(lambda: (torch.zeros(3) * torch.sqrt(w)).sum().backward()))
show(w.grad)


# %% nan unchecked
w = torch.zeros(3, requires_grad=True)
with torch.autograd.set_detect_anomaly(True, check_nan=False):
    (torch.zeros(3) * torch.sqrt(w)).sum().backward()
show(w.grad)


# %% state
def state(): show(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
state()
with torch.autograd.set_detect_anomaly(True, check_nan=False):
    state()
    with torch.autograd.detect_anomaly(): state()
    state()
state()
torch.autograd.set_detect_anomaly(True)
state()
torch.autograd.set_detect_anomaly(False)
state()


# %% metadata
with torch.autograd.set_detect_anomaly(True): n = (x * 2).grad_fn
show(list(n.metadata))


# %% changed
y = x * 1
with torch.autograd.set_detect_anomaly(True):
    w = y * y
    y.add_(1)
    show(attempt(lambda: w.sum().backward()))


# %% names the line: function
with torch.autograd.set_detect_anomaly(True):
    y = x * 1
    y = Fails.apply(y)
    y.sum().backward()


# %% names the line: operator
w = torch.zeros(3, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = w + 1
    r = torch.sqrt(w)
    (y * r * torch.zeros(3)).sum().backward()


# %% names the line: induced
with torch.autograd.set_detect_anomaly(True):
    y = Second.apply(x)
    g, = torch.autograd.grad((y ** 2).sum(), x, create_graph=True)
    g.sum().backward()
