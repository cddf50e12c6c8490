"""Autocast together with checkpoints, custom Functions, watchers, transforms and forward mode."""

import pytest

from tests.amp.making import check, module, tensor
from tests.speed import sampled


def block(torch):
    return module(torch, lambda nn: nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4)))


@pytest.mark.parametrize("use_reentrant", [True, False])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("inside", [True, False])
def test_checkpoint(use_reentrant, dtype, inside):
    def program(torch):
        layer, seen = block(torch), []

        def region(x):
            y = layer(x)
            seen.append((str(y.dtype), torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")))
            return y

        x = tensor(torch, 3, 4, grad=True)
        with torch.autocast("cpu", getattr(torch, dtype)):
            y = torch.utils.checkpoint.checkpoint(region, x, use_reentrant=use_reentrant, early_stop=False)
            if inside:
                y.float().sum().backward()
        if not inside:
            y.float().sum().backward()
        return y.detach(), x.grad, [p.grad for p in layer.parameters()], seen, torch.is_autocast_enabled("cpu")

    check(program)


def test_checkpoint_outside_of_autocast_recomputes_without():
    def program(torch):
        layer, x = block(torch), tensor(torch, 3, 4, grad=True)
        y = torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False)
        with torch.autocast("cpu"):
            y.sum().backward()
        return y.detach(), [str(p.grad.dtype) for p in layer.parameters()]

    check(program)


def test_selective_checkpoint():
    """A policy is asked about the casts and about operators with cast tensors, as below autocast in PyTorch."""
    def program(torch):
        from_checkpoint = torch.utils.checkpoint
        asked, layer, x = [], block(torch), tensor(torch, 3, 4, grad=True)

        def policy(ctx, op, *args, **kwargs):
            if not ctx.is_recompute:
                asked.append((str(op), [str(a.dtype) for a in args if hasattr(a, "dtype")]))
            keep = str(op).startswith("aten.addmm")
            return from_checkpoint.CheckpointPolicy.MUST_SAVE if keep else from_checkpoint.CheckpointPolicy.PREFER_RECOMPUTE

        with torch.autocast("cpu"):
            y = from_checkpoint.checkpoint(layer, x, use_reentrant=False, context_fn=lambda: (
                from_checkpoint.create_selective_checkpoint_contexts(policy)))
        y.float().sum().backward()
        names = ("aten._to_copy", "aten.addmm", "aten.tanh")
        return [a for a in asked if a[0].startswith(names)], y.detach(), x.grad, [p.grad for p in layer.parameters()]

    check(program)


@pytest.mark.parametrize("cast_inputs", [None, "float32", "float64"])
@pytest.mark.parametrize("enabled", [True, False])
def test_custom_functions(cast_inputs, enabled):
    def program(torch):
        seen = []
        dtype = None if cast_inputs is None else getattr(torch, cast_inputs)

        class Product(torch.autograd.Function):
            @staticmethod
            @torch.amp.custom_fwd(device_type="cpu", cast_inputs=dtype)
            def forward(ctx, a, b, others):
                seen.append((torch.is_autocast_enabled("cpu"), a.dtype, [x.dtype for x in others["x"]]))
                seen.append(ctx._fwd_used_autocast)
                ctx.save_for_backward(a, b)
                return a.mm(b)

            @staticmethod
            @torch.amp.custom_bwd(device_type="cpu")
            def backward(ctx, g):
                a, b = ctx.saved_tensors
                seen.append((torch.is_autocast_enabled("cpu"), g.mm(b.t()).dtype))
                return g.mm(b.t()), a.t().mm(g), None

        a, b = tensor(torch, 2, 2, grad=True), tensor(torch, 2, 2, seed=1, grad=True)
        with torch.autocast("cpu", enabled=enabled):
            y = Product.apply(a, b, {"x": [tensor(torch, 1), torch.ones(1, dtype=torch.int64)]})
        y.sum().backward()
        return plain_dtypes(seen), y.detach(), a.grad, b.grad

    check(program)


def plain_dtypes(value):
    return [plain_dtypes(x) for x in value] if isinstance(value, list | tuple) else str(value)


TRANSFORMS = {
    "grad": lambda torch, f, x: torch.func.grad(lambda x: f(x).float().sum())(x),
    "vjp": lambda torch, f, x: torch.func.vjp(f, x)[0],
    "jvp": lambda torch, f, x: torch.func.jvp(f, (x,), (x,)),
    "vmap": lambda torch, f, x: torch.func.vmap(f)(torch.stack([x, x * 2])),
    "per-sample": lambda torch, f, x: torch.func.vmap(torch.func.grad(lambda x: f(x).float().sum()))(torch.stack([x, x])),
    "jacrev": lambda torch, f, x: torch.func.jacrev(f)(x),
    "jacfwd": lambda torch, f, x: torch.func.jacfwd(f)(x),
}


@pytest.mark.parametrize("name", sampled(TRANSFORMS, fast={"vjp", "vmap"}))
def test_transforms(name):
    def program(torch):
        x, w = tensor(torch, 3, 3), tensor(torch, 3, 3, seed=1, grad=True)

        def function(x):
            return torch.nn.functional.linear(x, w.detach()).tanh() @ x

        with torch.autocast("cpu"):
            return TRANSFORMS[name](torch, function, x)

    check(program)


def test_transforms_share_no_casts():
    def program(torch):
        w = tensor(torch, 3, 3, grad=True)
        with torch.autocast("cpu"):
            g = torch.func.grad(lambda x: (x @ x).float().sum())(w.detach())
            y = w @ w
        return g, torch.autograd.grad(y.float().sum(), w)

    check(program)


def test_forward_mode():
    def program(torch):
        fwAD = torch.autograd.forward_ad  # noqa: N806 - its usual name
        x, t = tensor(torch, 3, 3), tensor(torch, 3, 3, seed=1)
        with fwAD.dual_level(), torch.autocast("cpu"):
            dual = fwAD.make_dual(x, t)
            return list(fwAD.unpack_dual(dual @ dual)) + list(fwAD.unpack_dual(torch.nn.functional.mse_loss(dual, x * 2)))

    check(program)


def test_second_gradients():
    def program(torch):
        x = tensor(torch, 3, 3, grad=True)
        with torch.autocast("cpu"):
            y = (x @ x).tanh()
        g, = torch.autograd.grad(y.float().sum(), x, create_graph=True)
        return g.detach(), torch.autograd.grad(g.square().sum(), x)

    check(program)


def test_hooks_and_saved_tensors():
    def program(torch):
        kept = []

        def pack(x):
            kept.append(str(x.dtype))
            return x

        x, w = tensor(torch, 3, 3), tensor(torch, 3, 3, seed=1, grad=True)
        with torch.autocast("cpu"), torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
            y = torch.nn.functional.linear(x, w).exp()
        y.register_hook(lambda g: kept.append(str(g.dtype)))
        y.sum().backward()
        return sorted(kept), w.grad

    check(program)
