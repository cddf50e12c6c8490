"""The grammar of the random programs: templates of statements, by kind.

``{a}`` is a tensor at hand, ``{b}`` one that broadcasts with it, ``{s}`` one of its shape, ``{n}`` a number, ``{o}`` and
``{p}`` names for results. A template applies where its condition (see `_CONDITIONS` in writer.py) holds for ``{a}``.
"""

# Operations that write nothing: ``{o} = template``. Few distinct shapes, so that kernels are compiled once.
MAPS = [
    "{a}.tanh()", "{a}.sigmoid()", "{a}.relu()", "{a}.sin()", "{a}.abs()", "-{a}", "{a}.clamp(-2, 2).exp()",
    "{a} * {n}", "{a} + {n}", "{n} - {a}", "{a} / {n}", "{n} / ({a} * {a} + 1)", "{a} ** 2", "{a}.clone()",
    "{a}.detach()", "({a} * 2).detach_()", "{a}.clamp(-1, 1)", "torch.where({a} > {n}, {a}, {b})",
    "{a}.masked_fill({a} > {n}, {n})", "F.leaky_relu({a})", "torch.zeros_like({a})", "{a}.contiguous()",
    "{a}.double()", "({a} * {a} + 1).sqrt()", "{a}.data", "{a}.sign()", "torch.empty_like({a}).copy_({a})",
    "{a}.exp().log1p()", "F.softplus({a})", "torch.addcmul({a}, {a}, {b}, value={n})",
    "{a}.detach().requires_grad_()", "{a}.reciprocal().clamp(-1, 1)", "Scale.apply({a}, {n})",
    "Saving.apply({a}, {b})", "Identity.apply({a})", "Viewing.apply({a})"]
MAPS_BY_DIM = [
    "{a}.softmax(-1)", "{a}.cumsum(0)", "{a}.flip(0)", "{a}.roll(1, 0)", "{a}.log_softmax(0)", "{a}.cumprod(-1)",
    "{a}.sort(-1).values", "F.dropout({a}, 0.0)", "{a}[[0, -1]]", "{a}.index_select(0, k)",
    "{a}.index_fill(0, k, {n})", "{a}.index_add(0, k[:1], {a}[:1])", "torch.cat([{a}, {s}])",
    "torch.stack([{a}, {s}]).sum(0)", "torch.stack([{a}, {s}])", "{a}[{a} > {n}].sum()",
    "torch.cat([{a}[1:], {s}[:1]])", "F.pad({a}, (0, 1))", "{a}.repeat_interleave(2, 0)",
    "{a}.unfold(-1, 2, 1).clone()", "(x * {n}).as_strided((2, 2), (1, 1), 1)"]
PAIRS = [
    "{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / ({b}.abs() + 1)", "torch.maximum({a}, {b})", "{b} * {a}",
    "torch.minimum({a}, {b})", "torch.lerp({a}, {b}, {n})", "({a} - {b}) ** 2", "torch.where({b} > 0, {a}, {n})",
    "torch.add({a}, {b}, alpha={n})", "torch.hypot({a}, {b} + 3)", "F.mse_loss({a}, {s})", "{a} @ {s}.t()",
    "{a}.t() @ {s}", "{a} @ w", "torch.einsum('...i,...i->...', {a}, {s})", "F.linear({a}, x, None)"]
REDUCTIONS = [
    "{a}.sum()", "{a}.mean()", "{a}.norm()", "{a}.max()", "{a}.var()", "{a}.amax()", "{a}.prod()"]
REDUCTIONS_BY_DIM = [
    "{a}.sum(0)", "{a}.mean(-1)", "{a}.sum(-1, keepdim=True)", "{a}.max(-1).values", "{a}.amin(0)",
    "{a}.logsumexp(-1)", "{a}.std(0, correction=0)", "{a}.cummax(0).values", "{a}.argmax(0)"]
VIEWS = [
    "{a}.view(-1)", "{a}.reshape(-1)", "{a}.unsqueeze(0)", "{a}.view({a}.shape)", "{a}[...]", "{a}.expand_as({a})",
    "{a}[None]", "{a}.squeeze()", "{a}.flatten()", "{a}.expand(2, *{a}.shape)", "{a}.view_as({a})", "{a}.T",
    "{a}.unsqueeze(-1)"]
VIEWS_BY_DIM = [
    "{a}[0]", "{a}[1:]", "{a}[..., 1:]", "{a}[-1:]", "{a}.transpose(0, -1)", "{a}.narrow(0, 0, 1)", "{a}[::2]",
    "{a}.select(-1, 1)", "{a}.diagonal()", "{a}.chunk(2, -1)[0]", "{a}.swapaxes(0, -1)", "{a}[..., 0]",
    "({a} + x).as_strided((2,), (1,))", "{a}.t()", "{a}.movedim(0, -1)", "{a}.flatten()[::2]", "{a}.reshape(-1, 1)"]
SEVERAL = [
    "{a}.split(1)", "{a}.unbind(0)", "{a}.chunk(2)", "torch.tensor_split({a}, 2)"]  # of two rows

# Operations that write.
WRITES = [
    "{a}.mul_({n})", "{a}.add_({b})", "{a}.tanh_()", "{a}.copy_({b})", "{a}.zero_()", "{a} += {n}",
    "{a}.sub_({b}, alpha={n})", "{a}.clamp_(-1, 1)", "{a}.fill_({n})", "{a}.mul_({b})", "{a} *= {b}",
    "{a}.sigmoid_()", "{a}.masked_fill_({b} > {n}, {n})", "{a}[...] = {b}", "{a}[{a} > {n}] = {n}", "{a}.relu_()",
    "{a}.addcmul_({a}, {b}, value={n})", "{a}.neg_()", "{a}.square_()", "{a}.div_({n})", "torch.tanh({a}, out={s})",
    "{a}.data.mul_({n})", "{a}.lerp_({b}, {n})", "{a}.detach().add_({n})", "{a}.mul_({a})",
    "{a}.exp_().clamp_(max=3)", "Writing.apply({a})", "{a}.abs_()", "{a}.t_()", "{a}.unsqueeze_(0)", "{a}.squeeze_()",
    "{a}.requires_grad_()", "{a}.requires_grad_(False)"]
WRITES_BY_DIM = [
    "{a}[0] = {n}", "{a}[0].mul_({n})", "{a}[..., 0] *= {n}", "{a}[1:] = {a}[:1]", "{a}[0] = {a}[1]",
    "{a}.t()[0].add_({n})", "{a}.view(-1)[1:].mul_({n})", "{a}.index_fill_(0, k, {n})", "{a}[k] = {n}",
    "{a}[[1, 0]] = {s}", "{a}[..., 1].copy_({a}[..., 0])", "{a}[0].zero_()", "{a}.narrow(0, 0, 1).tanh_()",
    "{a}.diagonal().mul_({n})", "{a}[..., ::2] = {n}", "{a}.transpose_(0, -1)", "{a}.index_add_(0, k, {s})",
    "{a}[1] += {a}[0]", "{a}.cumsum_(0)", "{a}[0], {a}[1] = {a}[1], {a}[0]", "{a}.index_copy_(0, k, {s})",
    "{a}[..., 1:] -= {b}[..., 1:]", "{a}.unbind(0)[0].mul_({n})", "{a}.expand(2, *{a}.shape)[0].mul_({n})",
    "{a}.flatten()[0] = {n}", "{a}.expand(2, *{a}.shape).mul_({n})", "{a}.index_put_((k,), {s})"]

# What concerns the graph.
READS = [
    "show({a})", "show({a}.sum().item())", "show({a}._version, {a}.grad_fn)", "show({a}.tolist())",
    "show({a}.is_leaf)", "show(bool(({a} > {n}).any()))", "show({a}._base is {b}, {a}._is_view())", "del {a}",
    "show(None if {a}.grad is None else {a}.grad.sum())", "show({a}.requires_grad, {a}.output_nr)",
    "show(float({a}.max()))"]
HOOKS = [
    "{a}.grad_fn, {a}.register_hook(lambda g: show(g))", "{a}.grad_fn, {a}.register_hook(lambda g: g * {n})",
    "{a}.grad_fn, {a}.retain_grad()", "h = ({a}.grad_fn, {a}.register_hook(lambda g: g + 1))[1]", "h.remove()",
    "{a}.grad_fn.register_hook(lambda i, o: show(i, o))", "{a}.grad_fn.register_prehook(lambda o: show(o))",
    "{a}.grad_fn.register_hook(lambda i, o: tuple(g if g is None else g * {n} for g in i))",
    "{a}.register_post_accumulate_grad_hook(lambda t: show(t.grad))", "{a}.grad_fn, {a}.register_hook(fail)",
    "{a}.grad_fn.register_prehook(lambda o: tuple(g if g is None else g * {n} for g in o))",
    "{a}.register_post_accumulate_grad_hook(lambda t: setattr(t, 'grad', None))"]
BACKWARD = [
    "{a}.sum().backward()", "{a}.sum().backward(retain_graph=True)", "({a} * {n}).sum().backward(retain_graph=True)",
    "{a}.backward(torch.ones_like({a}))", "{a}.backward({s}.detach().clone(), retain_graph=True)", "{a}.backward()",
    "torch.autograd.backward([{a}.sum(), {b}.sum()])", "({a} * {a}).sum().backward(inputs=[x])",
    "x.grad = w.grad = None",
    "torch.autograd.backward([{a}, {b}], [torch.ones_like({a}), torch.ones_like({b})], retain_graph=True)",
    "({a} * {b}).sum().backward(retain_graph=True)", "({a} * {a}).sum().backward(create_graph=True)",
    "x.grad.zero_()", "show(torch.autograd.grad({a}.sum(), [x, w], allow_unused=True))",
    "{a}.sum().backward(inputs=[w], retain_graph=True)",
    "show(torch.autograd.grad({a}.sum(), {b}, retain_graph=True))", "x.grad = torch.ones_like(x)", "x.grad.mul_({n})",
    "show(torch.autograd.grad({a}.sum(), [{b}, x], retain_graph=True, allow_unused=True))",
    "show(torch.autograd.grad([{a}.sum(), {b}.mean()], [x], retain_graph=True, materialize_grads=True))",
    "torch.optim.SGD([x, w], lr=0.1, momentum=0.9).step()"]
GRADS = [  # {o} = a gradient, in the standard layout: PyTorch's own layouts tell how its kernels are written
    "torch.autograd.grad({a}.sum(), x, create_graph=True)[0].clone(memory_format=torch.contiguous_format)",
    "torch.autograd.grad(({a} * {a}).sum(), x, create_graph=True)[0].clone(memory_format=torch.contiguous_format)",
    "torch.autograd.grad({a}.sin().sum(), w, create_graph=True)[0].clone(memory_format=torch.contiguous_format)",
    "torch.autograd.grad({a}.sum(), {b}, retain_graph=True)[0].clone(memory_format=torch.contiguous_format)",
    "x.grad.clone(memory_format=torch.contiguous_format)"]
CHECKPOINTS = [
    "checkpoint(lambda t: {m}, {a}, use_reentrant={flag})",
    "checkpoint(lambda t, u: t * u + u, {a}, {b}, use_reentrant={flag})",
    "checkpoint(lambda t, u={b}: {m} * u, {a}, use_reentrant={flag})",
    "checkpoint(lambda t: checkpoint(lambda u: u.sin(), t * 2, use_reentrant=False).exp(), {a}, use_reentrant={flag})"]
INSIDE = [
    "t.tanh().sin()", "(t * 2).sigmoid_()", "t * t.sum()", "torch.where(t > 0, t, t * 3)", "t.detach() * t", "t[...]",
    "t"]
# Transforms, of what is at hand and what the function holds. The results are in the standard layout, as gradients are.
# Second derivatives depend on {a}: where one is a constant, PyTorch's formula may make it require grad, or not.
SMOOTH = ["t.tanh().sin()", "(t * 2).sigmoid_()", "t * t.sum()", "t.exp() * t", "t.pow(3)", "(t * t)[...]",
          "t.cos().mul_(t)"]
TRANSFORMS = [f"({template}).clone(memory_format=torch.contiguous_format)" for template in (
    "func.grad(lambda t: ({d}).sum())({a})", "func.grad(lambda t: ({d} * {b}).sum())({a})",
    "func.grad(lambda t: ({d} * {a}).sum())({a})", "func.grad_and_value(lambda t: ({d}).sum())({a})[1]",
    "func.vjp(lambda t: {d}, {a})[1](torch.ones_like({a}))[0]", "func.vjp(lambda t: {m} * {b}, {a})[0]",
    "func.jvp(lambda t: {d}, ({a},), (torch.ones_like({a}),))[1]", "func.jvp(lambda t: {d} * {b}, ({a},), ({s},))[1]",
    "func.jacrev(lambda t: ({d}).sum())({a})", "func.jacfwd(lambda t: ({d}).sum())({a})",
    "func.grad(lambda t: (func.grad(lambda u: (u * u * {b}).sum())(t) * t).sum())({a})",
    "func.grad(lambda t: (func.jvp(lambda u: u.sin() * {b}, (t,), (t,))[1]).sum())({a})",
    "func.grad(quietly(lambda t: ({m}).sum()))({a}.detach())",
    "func.grad(lambda t: quietly(func.grad(lambda u: u.pow(3).sum()))(t).mul(t).sum())({a}.detach())",
    "func.functionalize(lambda t: t.clone().mul_({n}))({a})", "func.grad(lambda t: Twice.apply(t, {n}).pow(3).sum())({a})",
    "func.jvp(lambda t: func.grad(lambda u: u.sin().sum())(t), ({a},), ({s},))[1]")]
TRANSFORMS_BY_DIM = [f"({template}).clone(memory_format=torch.contiguous_format)" for template in (
    "func.vmap(lambda t: {m})({a})", "func.vmap(lambda t: ({m}).sum())({a})", "func.vmap(lambda t: {m}, -1, -1)({a})",
    "func.vmap(lambda t, u: t * u)({a}, {s})", "func.vmap(lambda t, u: ({m}) * u, (0, None))({a}, {b})",
    "func.vmap(func.grad(lambda t: ({d}).sum()))({a})", "func.grad(lambda t: func.vmap(lambda t: {d})(t).sum())({a})",
    "func.vmap(func.vjp(lambda t: t * {n}, {a})[1])(torch.stack([{a}, {s}]))[0]",
    "func.vmap(lambda t: func.jvp(torch.sin, (t,), (t,))[1])({a})", "func.vmap(lambda t: t.clone().mul_({n}))({a})",
    "func.vmap(lambda t: t.view(-1)[..., :1])({a})", "func.vmap(lambda t: t.sum().expand(3))({a})",
    "func.jacrev(lambda t: t[0] * t[0])({a}).sum(0)", "func.jacrev(lambda t: t.exp().sum(0), chunk_size=1)({a}).sum(0)",
    "func.jacfwd(lambda t: t.sin().sum(0))({a}).sum(0)", "func.vmap(lambda t: Twice.apply(t, {n}))({a})",
    "func.hessian(lambda t: (t[0] ** 3 * t[-1]).sum())({a}).sum(0).sum(0)")]
# Functions that write to what they hold or were given, which has no history.
TRANSFORMED_WRITES = [
    "show(func.grad(lambda t: (t.mul_({n}) * t).sum())({a}))",
    "show(func.grad(lambda t: (t * {a}.mul_({n})).sum())({s}.detach().clone()))",
    "show(func.grad(lambda t: {a}.copy_(t).sum())({b}.detach().clone()))",
    "show(func.jvp(lambda t: t.mul_({n}), ({a},), ({s}.detach().clone(),))[1])",
    "show(func.vjp(lambda t: t.mul_({n}), {a})[0])", "func.vmap(lambda t: t.mul_({n}))({a})",
    "func.vmap(lambda t, u: t.copy_(u))({a}, {s}.detach())", "func.vmap(lambda t: {a}.add_(t))({s}.detach().clone())",
    "show(func.vmap(lambda t: {a}.mul_({n}) * t)({s}.detach().clone()))", "func.functionalize(lambda t: t.mul_({n}))({a})"]
# numpy's operands, functions and writes; copies.
NUMPY = [
    "{a} * np.float64({n})", "np.float64({n}) * {a}", "{a} + {b}.detach().numpy()", "{b}.detach().numpy() * {a}",
    "torch.from_numpy(np.sin({a}.detach()).numpy())", "torch.from_numpy(np.asarray({a}.detach()).copy())",
    "torch.as_tensor({a}.detach().numpy())", "{a}[np.array([0])]", "{a} ** np.int64(2)",
    "np.add({a}.detach(), {b}.detach().numpy())",
    "torch.tensor({a}.detach().numpy())", "{a} - np.float32({n})", "{a}.numpy()"]
COPIES = [
    "copy.deepcopy({a})", "copy.copy({a})", "copy.deepcopy([{a}, {s}, {a}])[2]", "pickle.loads(pickle.dumps({a}))",
    "copy.deepcopy({{'x': x, 'a': {a}}})['a']", "copy.deepcopy({a}.detach()[:1])"]
NUMPY_WRITES = [
    "{a}.detach().numpy()[...] = {n}", "{a}.data.numpy().flat[0] = {n}", "{a}.add_(np.float64({n}))",
    "{a}[...] = {s}.detach().numpy()", "{a}.copy_(torch.from_numpy({s}.detach().numpy()))", "{a}[np.array([0])] = {n}",
    "np.asarray({a}.detach()).sort()", "{a} -= {s}.detach().numpy()",
    "np.negative({a}.detach().numpy(), out={a}.detach().numpy())"]
# A subclass whose operations are counted.
SUBCLASS = [
    "{a}.as_subclass(Counted)", "{a}.as_subclass(Counted) * {n}", "torch.add({a}, {s}.as_subclass(Counted))",
    "{a}.as_subclass(Counted)[...]", "{a}.as_subclass(Counted).as_subclass(torch.Tensor)", "Plain({a}.detach())",
    "torch.Tensor._make_subclass(Plain, {a}.detach(), True)", "{a}.as_subclass(Plain).tanh()",
    "torch.where({a} > {n}, {a}.as_subclass(Plain), {b})", "nn.Parameter({a}.detach().as_subclass(Plain))",
    "{a}.as_subclass(Counted).clone().mul_({n})"]
CASTS = [
    "{a}.float()", "{a}.to({b}.dtype)", "({a} * 3).long()", "{a} + k[0]", "({a} > {n}).double()", "{a} * ({b} > 0)"]
BLOCKS = [
    "with torch.no_grad():", "with torch.enable_grad():", "with torch.inference_mode():",
    "with saved_tensors_hooks(lambda t: t.clone(), lambda t: t):",
    "with saved_tensors_hooks(lambda t: t.numpy(force=True).copy(), torch.tensor):",
    "with torch.set_grad_enabled({flag}):"]

# Definitions, each given to the programs that use its name.
HELPERS = {
    "Function": "from torch.autograd import Function",
    "np": "import numpy as np",
    "nn": "from torch import nn",
    "copy": "import copy",
    "pickle": "import pickle",
    "func": "from torch import func",
    "Twice": '''
class Twice(Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(t, n):
        return t * n
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.n = inputs[1]
    @staticmethod
    def backward(ctx, g):
        return g * ctx.n, None''',
    "quietly": "quietly = torch.no_grad()",
    "Plain": '''
class Plain(torch.Tensor):
    pass''',
    "Counted": '''
class Counted(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        calls.append(getattr(func, "__name__", ""))
        return super().__torch_function__(func, types, args, kwargs)
calls = []''',
    "checkpoint": "from torch.utils.checkpoint import checkpoint",
    "saved_tensors_hooks": "from torch.autograd.graph import saved_tensors_hooks",
    "fail": '''
def fail(g):
    raise ValueError("from the hook")''',
    "Scale": '''
class Scale(Function):
    @staticmethod
    def forward(ctx, t, n):
        ctx.n = n
        return t * n
    @staticmethod
    def backward(ctx, g):
        return g * ctx.n, None''',
    "Saving": '''
class Saving(Function):
    @staticmethod
    def forward(ctx, t, u):
        ctx.save_for_backward(t, u)
        return t * u
    @staticmethod
    def backward(ctx, g):
        t, u = ctx.saved_tensors
        show(ctx.needs_input_grad)
        return (g * u).sum_to_size(t.shape), (g * t).sum_to_size(u.shape)''',
    "Writing": '''
class Writing(Function):
    @staticmethod
    def forward(ctx, t):
        ctx.mark_dirty(t)
        return t.mul_(2)
    @staticmethod
    def backward(ctx, g):
        return g * 2''',
    "Identity": '''
class Identity(Function):
    @staticmethod
    def forward(ctx, t):
        return t
    @staticmethod
    def backward(ctx, g):
        return g * 3''',
    "Viewing": '''
class Viewing(Function):
    @staticmethod
    def forward(ctx, t):
        return t.view(t.shape)
    @staticmethod
    def backward(ctx, g):
        return g * 5''',
}
