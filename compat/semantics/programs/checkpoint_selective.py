from functools import partial

P = checkpoints.CheckpointPolicy
aten = torch.ops.aten
contexts = checkpoints.create_selective_checkpoint_contexts


def leaf(*shape):
    return (torch.arange(1.0, 1 + np.prod(shape)).reshape(shape) / 10).requires_grad_()


def run(fn, policy, *args, **kwargs):
    return checkpoints.checkpoint(fn, *args, use_reentrant=False, context_fn=partial(contexts, policy, **kwargs))


def grads(*leaves):
    return [x.grad for x in leaves]


class Seen:
    """A policy that notes what it is asked."""

    def __init__(self, *saved):
        self.saved, self.asked = saved, []

    def __call__(self, ctx, op, *args, **kwargs):
        self.asked.append(str(op))
        return P.MUST_SAVE if op in self.saved else P.PREFER_RECOMPUTE


class Counted(Function):
    """Counts its runs."""

    count = 0

    @staticmethod
    def forward(ctx, x):
        Counted.count += 1
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


# %% list: mm
x, w = leaf(2, 3), leaf(3, 3)
out = run(lambda a, b: torch.sigmoid(a @ b @ b) * 2, [aten.mm.default], x, w)
out.sum().backward()
show(out, grads(x, w))

# %% list: empty
x, w = leaf(2, 3), leaf(3, 3)
out = run(lambda a, b: torch.sigmoid(a @ b @ b) * 2, [], x, w)
out.sum().backward()
show(out, grads(x, w))

# %% list: everything
x, w = leaf(2, 3), leaf(3, 3)
out = run(lambda a, b: torch.sigmoid(a @ b) * 2, [aten.mm.default, aten.sigmoid.default, aten.mul.Tensor], x, w)
out.sum().backward()
show(out, grads(x, w))

# %% list: an operator that does not come
x = leaf(3)
run(lambda a: a.sin().cos(), [aten.mm.default], x).sum().backward()
show(x.grad)

# %% list: of a packet
show(attempt(contexts, [aten.mm]))

# %% list: of strings
show(attempt(contexts, ["mm"]))

# %% list: a tuple
show(attempt(contexts, (aten.mm.default,)))

# %% policy: all six
x = leaf(3)
for policy in P:
    x.grad = None
    run(lambda a: a.sin().exp(), lambda ctx, op, *args, policy=policy, **kwargs: policy, x).sum().backward()
    show(policy.name, policy.value, x.grad)

# %% policy: booleans
x = leaf(3)
for answer in (True, False):
    x.grad = None
    run(lambda a: a.sin().exp(), lambda ctx, op, *args, answer=answer, **kwargs: answer, x).sum().backward()
    show(x.grad)

# %% policy: None
x = leaf(3)
run(lambda a: a.sin().exp(), lambda ctx, op, *args, **kwargs: None, x).sum().backward()
show(x.grad)

# %% policy: asked in the forward run only
x, policy = leaf(3), Seen(aten.sin.default)
out = run(lambda a: (a.sin().exp() * 2).sum(), policy, x)
show(policy.asked)
out.backward()
show(policy.asked, x.grad)

# %% policy: context
seen = []


def policy(ctx, op, *args, **kwargs):
    seen.append([ctx.is_recompute, ctx.op_output.detach().clone(), ctx.op_output.requires_grad])
    return P.PREFER_SAVE


x = leaf(3)
run(lambda a: a.sin().exp(), policy, x).sum().backward()
show(seen, x.grad)

# %% policy: context of several results
seen = []


def policy(ctx, op, *args, **kwargs):
    seen.append([str(op), isinstance(ctx.op_output, tuple), len(ctx.op_output)])
    return P.PREFER_SAVE


x = leaf(2, 3)
run(lambda a: a.topk(2, dim=1)[0], policy, x).sum().backward()
show(seen, x.grad)

# %% policy: arguments
seen = []


def policy(ctx, op, *args, **kwargs):
    seen.append([str(op), [tuple(a.shape) if isinstance(a, torch.Tensor) else a for a in args], sorted(kwargs)])
    return P.PREFER_RECOMPUTE


x, w = leaf(2, 3), leaf(3, 3)
run(lambda a, b: ((a @ b).view(3, 2).transpose(0, 1) + 1).sum(1), policy, x, w)
show(seen)

# %% policy: alpha, keepdim and dims
seen = []


def policy(ctx, op, *args, **kwargs):
    seen.append([str(op), [tuple(a.shape) if isinstance(a, torch.Tensor) else a for a in args], kwargs])
    return P.PREFER_RECOMPUTE


x = leaf(2, 3)
run(lambda a: torch.add(a, a, alpha=2).sum((0, 1), keepdim=True).amax(-1).cumsum(0), policy, x)
show(seen)

# %% policy: by shape
x, w = leaf(2, 3), leaf(3, 3)


def policy(ctx, op, *args, **kwargs):
    return P.MUST_SAVE if op is aten.mm.default and args[0].shape == (2, 3) else P.PREFER_RECOMPUTE


run(lambda a, b: (a @ b).relu() @ b, policy, x, w).sum().backward()
show(grads(x, w))

# %% policy: raises
def policy(ctx, op, *args, **kwargs):
    raise ValueError("no")


show(attempt(run, lambda a: a.sin(), policy, leaf(3)))
show(leaf(3).sin())

# %% policy: not under no_grad
policy = Seen()
with torch.no_grad():
    show(run(lambda a: a.sin(), policy, leaf(3)), policy.asked)

# %% policy: no_grad inside
def region(a):
    with torch.no_grad():
        b = a.cos()
    return a.sin() * b


x, policy = leaf(3), Seen(aten.cos.default)
run(region, policy, x).sum().backward()
show(policy.asked, x.grad)

# %% policy: inputs without gradient
x, policy = torch.ones(3), Seen()
out = run(lambda a: a.sin().exp(), policy, x)
show(policy.asked, out)

# %% runs: a kept result is not computed again
x = leaf(3)
for saved in ([], [aten.mul.Tensor]):
    Counted.count = 0
    run(lambda a: Counted.apply(a).sin().exp(), saved, x).sum().backward()
    show(Counted.count)

# %% runs: random numbers that are kept
torch.manual_seed(3)
x = leaf(4)
out = run(lambda a: (a * torch.rand(4)).sin(), [aten.rand.default], x)
out.sum().backward()
show(out, x.grad)

# %% runs: random numbers drawn again
torch.manual_seed(3)
x = leaf(4)
out = run(lambda a: (a * torch.rand(4)).sin(), [aten.mul.Tensor], x)
out.sum().backward()
show(out, x.grad, torch.rand(2))

# %% runs: dropout
torch.manual_seed(3)
x = leaf(8)
out = run(lambda a: F.dropout(a.sin(), 0.5).exp(), [aten.sin.default], x)
out.sum().backward()
show(out, x.grad)

# %% runs: dropout, kept
torch.manual_seed(3)
x = leaf(8)
out = run(lambda a: F.dropout(a.sin(), 0.5).exp(), [aten.mul.Tensor], x)
out.sum().backward()
show(x.grad)

# %% twice: retain_graph
x = leaf(3)
out = run(lambda a: a.sin().exp(), [aten.sin.default], x).sum()
out.backward(retain_graph=True)
show(attempt(out.backward), x.grad)

# %% twice: retain_graph, nothing kept
x = leaf(3)
out = run(lambda a: a.sin().exp(), [], x).sum()
out.backward(retain_graph=True)
out.backward()
show(x.grad)

# %% twice: without retain_graph
x = leaf(3)
out = run(lambda a: a.sin().exp(), [aten.sin.default], x).sum()
out.backward()
show(attempt(out.backward))

# %% written: a kept result
x = leaf(3)
out = run(lambda a: a.sin().mul_(2).cos(), [aten.sin.default], x)
show(attempt(out.sum().backward))

# %% written: allowed
x = leaf(3)


def region(a):
    b = a.sin()
    c = b * 2
    with torch.no_grad():
        b.fill_(0.5)
    return c.exp()


out = run(region, [aten.mul.Tensor], x, allow_cache_entry_mutation=True)
out.sum().backward()
show(x.grad)

# %% written: not kept
x = leaf(3)
out = run(lambda a: a.sin().mul_(2).cos(), [aten.cos.default], x)
out.sum().backward()
show(out, x.grad)

# %% written: the write is asked for
x, policy = leaf(3), Seen()
run(lambda a: (a * 1).add_(1).mul_(a.detach()).relu_().copy_(a).exp(), policy, x).sum().backward()
show(policy.asked, x.grad)

# %% written: the write is kept
x = leaf(3)
out = run(lambda a: a.sin().mul_(2).exp(), [aten.mul_.Tensor, aten.exp.default], x)
out.sum().backward()
show(out, x.grad)

# %% written: the write is kept, what follows is not
x = leaf(3)
out = run(lambda a: a.sin().mul_(2).exp(), [aten.mul_.Tensor], x)
out.sum().backward()
show(out, x.grad)

# %% written: the write is kept, mutation allowed
x = leaf(3)
out = run(lambda a: a.sin().mul_(2).exp(), [aten.mul_.Tensor], x, allow_cache_entry_mutation=True)
out.sum().backward()
show(out)

# %% written: slices
x, policy = leaf(3), Seen()


def region(a):
    b = a.clone()
    b[1:] = a[:2]
    return b.exp()


run(region, policy, x).sum().backward()
show(policy.asked, x.grad)

# %% views: kept
x = leaf(2, 3)
run(lambda a: (a.sin().t().reshape(6).view(3, 2)[1] * 3).exp(), Seen(aten.t.default, aten.view.default, aten.select.int), x).sum().backward()
show(x.grad)

# %% views: split
x, policy = leaf(2, 4), Seen(aten.split.Tensor)
run(lambda a: torch.mul(*a.sin().chunk(2, 1)).exp(), policy, x).sum().backward()
show(policy.asked, x.grad)

# %% views: unbind
x, policy = leaf(2, 4), Seen(aten.unbind.int, aten.mul.Tensor)
run(lambda a: torch.mul(*a.sin().unbind(0)).exp(), policy, x).sum().backward()
show(policy.asked, x.grad)

# %% names: products
x, w, b, policy = leaf(2, 3), leaf(3, 3), leaf(3), Seen(aten.addmm.default)
run(lambda a, w, b: F.linear(F.linear(a, w, b), w) @ b, policy, x, w, b).sum().backward()
show(policy.asked, grads(x, w, b))

# %% names: batched products
x, w, policy = leaf(2, 2, 3), leaf(3, 3), Seen(aten.bmm.default, aten.mm.default)
run(lambda a, w: torch.bmm(a @ w, a.mT), policy, x, w).sum().backward()
show(policy.asked, grads(x, w))

# %% names: attention
q, k, v, policy = leaf(1, 2, 3, 4), leaf(1, 2, 3, 4), leaf(1, 2, 3, 4), Seen(aten._scaled_dot_product_flash_attention_for_cpu.default)
run(lambda q, k, v: F.scaled_dot_product_attention(q.sin(), k, v, is_causal=True), policy, q, k, v).sum().backward()
show(policy.asked, grads(q, k, v))

# %% names: convolution
x, w, b, policy = leaf(1, 1, 4, 4), leaf(2, 1, 3, 3), leaf(2), Seen(aten.convolution.default)
run(lambda x, w, b: F.max_pool2d(F.relu(F.conv2d(x, w, b, padding=1)), 2), policy, x, w, b).sum().backward()
show(policy.asked, grads(x, w, b))

# %% names: norms
x, w, policy = leaf(2, 3), leaf(3), Seen(aten.native_layer_norm.default)
run(lambda x, w: F.layer_norm(x, (3,), w).softmax(-1).log_softmax(0), policy, x, w).sum().backward()
show(policy.asked, grads(x, w))

# %% names: activations
x, policy = leaf(3), Seen(aten.gelu.default, aten.sigmoid.default)
run(lambda x: F.silu(F.gelu(torch.sigmoid(F.relu(F.softplus(F.elu(F.leaky_relu(x.tanh()))))))), policy, x).sum().backward()
show(policy.asked, x.grad)

# %% names: arithmetic
x, policy = leaf(3), Seen(aten.pow.Tensor_Scalar)
run(lambda x: ((1 - x) * x / 2 + 1 - 2 * x) ** 2 + 2 / x - x % 2 + 2 ** x, policy, x).sum().backward()
show(policy.asked, x.grad)

# %% names: comparisons
x, policy = leaf(3), Seen(aten.gt.Scalar)
run(lambda x: torch.where(x > 0.15, x, -x).masked_fill(x < 0.15, 0.0) * (x == x), policy, x).sum().backward()
show(policy.asked, x.grad)

# %% names: reductions
x, policy = leaf(2, 3), Seen(aten.mean.dim)
run(lambda x: x.mean(1).sum() + x.mean() + x.sum(0).max() + x.var(1).sum() + x.std() + x.norm() + x.logsumexp(1).prod(), policy, x).backward()
show(policy.asked, x.grad)

# %% names: indices
x, policy = leaf(4, 3), Seen(aten.index.Tensor)
i = torch.tensor([0, 2])
run(lambda x: x[0] + x[1:3, 1].sum() + x[i].sum() + x.gather(0, i[None, :1]).sum() + x.index_select(0, i).sum(), policy, x).sum().backward()
show(policy.asked, x.grad)

# %% names: shapes
x, policy = leaf(2, 3), Seen(aten.cat.default)
run(lambda x: torch.cat([x.flatten(), x.T.reshape(6), x.squeeze(0).unsqueeze(1).expand(2, 2, 3).permute(2, 0, 1).contiguous().view(12)]), policy, x).sum().backward()
show(policy.asked, x.grad)

# %% names: casts
x, policy = leaf(3), Seen(aten._to_copy.default)
run(lambda x: x.double().float().to(torch.float32).clone(), policy, x).sum().backward()
show(policy.asked, x.grad)

# %% names: losses
x, policy = leaf(2, 3), Seen(aten._log_softmax.default)
y = torch.tensor([0, 2])
run(lambda x: F.cross_entropy(x, y) + F.mse_loss(x, x * 2) + F.l1_loss(x, x * 2) + F.binary_cross_entropy_with_logits(x, x.detach()), policy, x).backward()
show(policy.asked, x.grad)

# %% names: factories
x, policy = leaf(3), Seen(aten.arange.default)
run(lambda x: x * torch.zeros(3) + torch.ones(3) * torch.full((3,), 2.0) * torch.arange(3) * torch.eye(3), policy, x).sum().backward()
show(policy.asked, x.grad)

# %% names: random numbers
x, policy = leaf(3), Seen()
run(lambda x: x * torch.rand(3) * torch.randn(3) * torch.rand_like(x) * torch.randint(3, (3,)) * torch.randperm(3), policy, x).sum().backward()
show(policy.asked)

# %% names: detach is not asked for
x, policy = leaf(3), Seen()
run(lambda x: x.detach() * x, policy, x).sum().backward()
show(policy.asked, x.grad)

# %% regions: two, one after the other
x, policy = leaf(3), Seen(aten.sin.default)
y = run(lambda a: a.sin().exp(), policy, x)
run(lambda a: a.sin().exp(), policy, y).sum().backward()
show(policy.asked, x.grad)

# %% regions: an ordinary one inside
x, policy = leaf(3), Seen(aten.exp.default)
run(lambda a: checkpoints.checkpoint(lambda b: b.sin().exp(), a, use_reentrant=False).cos(), policy, x).sum().backward()
show(x.grad)

# %% regions: inside an ordinary one
x, policy = leaf(3), Seen(aten.exp.default)
checkpoints.checkpoint(lambda a: run(lambda b: b.sin().exp(), policy, a).cos(), x, use_reentrant=False).sum().backward()
show(policy.asked, x.grad)

# %% regions: early stop off
x = leaf(3)
with checkpoints.set_checkpoint_early_stop(False):
    run(lambda a: a.sin().exp(), [aten.sin.default], x).sum().backward()
show(x.grad)

# %% regions: create_graph
x = leaf(3)
g, = torch.autograd.grad(run(lambda a: a.sin().exp(), [aten.sin.default], x).sum(), x, create_graph=True)
h, = torch.autograd.grad(g.sum(), x)
show(g.detach(), h)

# %% regions: another path in the second run
x, calls = leaf(3), []


def region(a):
    calls.append(None)
    return a.sin().exp() if len(calls) == 1 else a.cos().exp()


show(attempt(run(region, [aten.sin.default], x).sum().backward))

# %% regions: more calls in the second run
x, calls = leaf(3), []


def region(a):
    calls.append(None)
    return a.sin().exp() if len(calls) == 1 else a.sin().sin().exp()


with checkpoints.set_checkpoint_early_stop(False):
    out = run(region, [], x).sum()
show(attempt(out.backward))

# %% regions: modules
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.GELU(), nn.Linear(4, 4), nn.Tanh())
x, policy = leaf(2, 3), Seen(aten.addmm.default)
run(net, policy, x).sum().backward()
show(policy.asked, x.grad, [p.grad for p in net.parameters()])

# %% regions: item inside
x = leaf(3)
run(lambda a: a.sin() * float(a.detach().sum()), [aten.sin.default], x).sum().backward()
show(x.grad)

# %% regions: after an exception
def region(a):
    a.sin()
    raise KeyError("inside")


show(attempt(run, region, [aten.sin.default], leaf(3)))
show(leaf(3).sin().sum())

# %% errors: debug
x = leaf(3)
show(attempt(checkpoints.checkpoint, torch.sin, x, use_reentrant=False, debug=True, context_fn=partial(contexts, [])))

# %% errors: reentrant
x = leaf(3)
show(attempt(checkpoints.checkpoint, torch.sin, x, use_reentrant=True, context_fn=partial(contexts, [])))

# %% ops: names
op = aten.add.Tensor
show(str(op), repr(op), op.name(), op.__name__, op.namespace, str(aten.add), repr(aten.add), aten.mm.default.name())
show(op is aten.add.Tensor, op == aten.add.Scalar, op.overloadpacket is aten.add, aten is torch.ops.aten)
show(isinstance({op: 1}[aten.add.Tensor], int))

# %% ops: calls
a, b = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0], [4.0]])
show(aten.mm.default(a, b), aten.mm(a, b), aten.add.Tensor(a, a, alpha=2), aten.sum.dim_IntList(a, [1], True))
show(aten.sigmoid.default(a), aten.t.default(a), aten.mul_.Tensor(a, 2), a)

# %% ops: with history
x = leaf(3)
aten.exp.default(x).sum().backward()
show(x.grad)

# %% ops: unknown operator
show(attempt(lambda: aten.no_such_operator), attempt(lambda: torch.ops.nolibrary.op))

# %% ops: unknown overload
show(attempt(lambda: aten.mm.no_such_overload))
