"""Modules that are computed again for the backward pass; each line is compared with PyTorch's."""

import functools
import warnings

import torch
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    CheckpointImpl,
    CheckpointWrapper,
    apply_activation_checkpointing,
    checkpoint_wrapper,
)
from torch.utils.checkpoint import checkpoint

warnings.simplefilter("ignore")
calls = []


def told(name, f):
    try:
        found = f()
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {error}"
    print(name, found, flush=True)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.factor = torch.nn.Linear(2, 2), 3
        with torch.no_grad():
            for p in self.parameters():
                p.copy_(torch.arange(float(p.numel())).reshape(p.shape) / 5)

    def forward(self, x, scale=1.0):
        calls.append(scale)
        return torch.tanh(self.inner(x)) * scale


def trained(module, *args, **kwargs):
    calls.clear()
    x = torch.tensor([[0.3, -0.2]], requires_grad=True)
    module(x, *args, **kwargs).sum().backward()
    return len(calls), [round(v, 4) for v in x.grad.flatten().tolist()], [
        (name, [round(v, 4) for v in p.grad.flatten().tolist()]) for name, p in module.named_parameters()]


told("enum", lambda: [(each.name, str(each)) for each in CheckpointImpl])
for name, how in {"default": {}, "reentrant": {"checkpoint_impl": CheckpointImpl.REENTRANT},
                  "not": {"checkpoint_impl": CheckpointImpl.NO_REENTRANT, "preserve_rng_state": False},
                  "own": {"checkpoint_fn": functools.partial(checkpoint, use_reentrant=False)}}.items():
    wrapped = checkpoint_wrapper(Block(), **how)
    told(f"{name} trained", lambda w=wrapped: trained(w))
    wrapped.zero_grad()
    told(f"{name} by name", lambda w=wrapped: trained(w, scale=2.0))
told("plain", lambda: trained(Block()))
told("type", lambda: (type(wrapped).__name__, isinstance(wrapped, CheckpointWrapper)))
told("state", lambda: (list(wrapped.state_dict()), [name for name, _ in wrapped.named_parameters()],
                       [name for name, _ in wrapped.named_modules()], list(wrapped._modules)))
told("attributes", lambda: (wrapped.factor, type(wrapped.inner).__name__))
told("no attribute", lambda: wrapped.nothing)
told("load", lambda: wrapped.load_state_dict(Block().state_dict()))
told("load less", lambda: wrapped.load_state_dict({}))
listed = checkpoint_wrapper(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()))
told("item", lambda: type(listed[1]).__name__)
told("text", lambda: repr(listed))
outer = torch.nn.Sequential(wrapped, torch.nn.Linear(2, 1))
told("outer", lambda: (list(outer.state_dict()), [name for name, _ in outer.named_parameters()]))
told("outer load", lambda: outer.load_state_dict(torch.nn.Sequential(Block(), torch.nn.Linear(2, 1)).state_dict()))


def model():
    shared = torch.nn.Linear(2, 2)
    return torch.nn.Sequential(Block(), torch.nn.Sequential(Block(), torch.nn.ReLU()), shared, shared)


for name, how in {"all": {}, "blocks": {"check_fn": lambda m: isinstance(m, Block)},
                  "linear": {"check_fn": lambda m: isinstance(m, torch.nn.Linear)},
                  "none": {"check_fn": lambda m: False},
                  "own": {"check_fn": lambda m: isinstance(m, Block), "checkpoint_wrapper_fn": functools.partial(
                      checkpoint_wrapper, checkpoint_impl=CheckpointImpl.REENTRANT)},
                  "root": {"check_fn": lambda m: isinstance(m, torch.nn.Sequential)}}.items():
    applied = model()
    told(f"apply {name}", lambda a=applied, how=how: (apply_activation_checkpointing(a, **how), repr(a),
                                                      list(a.state_dict())))
    told(f"{name} runs", lambda a=applied: trained(a)[0])
seen = []


def policy(module, recurse, nonwrapped_numel):
    seen.append((type(module).__name__, recurse, nonwrapped_numel))
    return True if recurse else isinstance(module, Block)


applied = model()
told("policy", lambda: (apply_activation_checkpointing(applied, auto_wrap_policy=policy), repr(applied), seen))
