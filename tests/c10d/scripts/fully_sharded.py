"""Training with `fully_shard` in every way; what each rank prints is compared with PyTorch's."""

import copy
import io
import re
import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)
from torch.distributed.fsdp import (
    CPUOffloadPolicy,
    FSDPModule,
    MixedPrecisionPolicy,
    OffloadPolicy,
    UnshardHandle,
    fully_shard,
    register_fsdp_forward_method,
)
from torch.distributed.tensor import DTensor, Shard
from torch.utils.checkpoint import checkpoint

MODULE = re.compile(r"torch\w*\.[\w.]*\.(?=FSDP)")
warnings.simplefilter("ignore")
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


def told(name, f):
    try:
        found = f()
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {MODULE.sub('', str(error))[:300]}"
    print(name, found, flush=True)


def short(x):
    return [f"{v:.7f}" for v in (x.detach().double() + 1e-12).reshape(-1).tolist()[:4]]


def whole(x):
    return short(x.full_tensor() if isinstance(x, DTensor) else x)


def filled(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(((torch.arange(p.numel()) * 7 + i) % 11 - 5).reshape(p.shape) / 9)
    return module


def mlp(dtype=torch.float64):
    return filled(nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 4, bias=False), nn.Linear(4, 1)).to(dtype))


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.mix, self.out = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        q, k, v = self.mix(self.norm(x)).chunk(3, -1)
        return x + self.out(nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True))


class GPT(nn.Module):
    def __init__(self, width=4, layers=2):
        super().__init__()
        self.embed = nn.Embedding(7, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(layers))
        self.head = nn.Linear(width, 7, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)

    def embedded(self, x):
        return self.embed(x).sum()


def gpt(wrap=None, **how):
    model = filled(GPT().double())
    for i, block in enumerate(model.blocks):
        if wrap is not None:
            model.blocks[i] = block = wrap(block)
        fully_shard(block, **how)
    return fully_shard(model, **how)


def words(i=0):
    return (torch.arange(10).reshape(2, 5) * (rank + 2) + i) % 7


def numbers(i=0):
    return ((torch.arange(12).reshape(4, 3) * 5 + rank * 3 + i) % 7).double() / 4 - 0.6


def step(model, optimizer, x):
    optimizer.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
    return short(loss)


def state(model):
    return [(name, [str(q) for q in p.placements], tuple(p.shape), tuple(p.to_local().shape), whole(p))
            for name, p in model.state_dict().items()]


def grads(model):
    return [None if p.grad is None else (type(p.grad).__name__, [str(q) for q in p.grad.placements], p.grad.dtype,
                                         whole(p.grad)) for p in model.parameters()]


def trained(model, kind=torch.optim.Adam, x=numbers, **options):
    optimizer = kind(model.parameters(), **{"lr": 0.05, **options})
    found = [step(model, optimizer, x(i)) for i in range(5)]
    print(*grads(model), sep="\n")
    print(*state(model), sep="\n")
    kept = [v for s in optimizer.state.values() for v in s.values() if v.ndim]
    return found, {type(v).__name__ for v in kept}, [tuple(v.to_local().shape) for v in kept]


# -- the module

model = mlp()
first = model[0].weight
fully_shard(model[0])
told("class", lambda: (type(model[0]).__name__, isinstance(model[0], FSDPModule), isinstance(model[0], nn.Linear)))
told("parameter", lambda: (type(model[0].weight).__name__, isinstance(model[0].weight, nn.Parameter),
                           first is model[0].weight, [name for name, _ in model.named_parameters()]))
told("fully_shard", lambda: fully_shard(model) is model)
told("twice", lambda: fully_shard(model))
told("copied", lambda: copy.deepcopy(model))
told("part", lambda: type(model[:1]).__name__)
told("list", lambda: fully_shard(nn.ModuleList([nn.Linear(2, 2)])))
told("scalar", lambda: fully_shard(nn.PReLU().register_parameter("s", nn.Parameter(torch.tensor(1.0)))))
scalar = nn.Module()
scalar.s = nn.Parameter(torch.tensor(1.0))
told("scalar", lambda: fully_shard(scalar))
told("number", lambda: fully_shard(mlp(), reshard_after_forward=3))
told("no number", lambda: fully_shard(mlp(), reshard_after_forward="no"))
told("no bool", lambda: model.set_reshard_after_forward(3))
told("no modules", lambda: model.set_modules_to_forward_prefetch([nn.Linear(1, 1)]))
told("buffers", lambda: (model.set_reduce_scatter_max_input_buffers(0)))
told("buffers", lambda: (model.set_reduce_scatter_max_input_buffers(True)))
told("text", lambda: repr(model))
told("mlp", lambda: trained(model))
told("zero_grad", lambda: (model.zero_grad(), grads(model)))
told("sgd", lambda: trained(fully_shard(mlp()), torch.optim.SGD, momentum=0.9))
told("adamw", lambda: trained(fully_shard(mlp()), torch.optim.AdamW, weight_decay=0.1, foreach=True))
told("kept", lambda: trained(fully_shard(mlp(), reshard_after_forward=False)))
model = mlp()
for part in (model[0], model[2], model):
    fully_shard(part, reshard_after_forward=True)
told("all freed", lambda: trained(model))
told("gpt", lambda: trained(gpt(), x=words))
told("checkpointed", lambda: trained(gpt(checkpoint_wrapper), x=words))


class Again(nn.Module):
    def __init__(self, inner, reentrant):
        super().__init__()
        self.inner, self.reentrant = inner, reentrant

    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=self.reentrant)


for reentrant in (False, True):
    model = filled(GPT().double())
    for i, block in enumerate(model.blocks):
        fully_shard(block)
        model.blocks[i] = Again(block, reentrant)
    fully_shard(model)
    told(f"outside, {reentrant}", lambda m=model: trained(m, x=words))

# -- several passes

model = gpt()
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def accumulated(syncs):
    optimizer.zero_grad()
    for i, sync in enumerate(syncs):
        model.set_is_last_backward(i == len(syncs) - 1)
        model.set_requires_gradient_sync(sync)
        model.set_reshard_after_backward(sync)
        model(words(i)).square().mean().backward()
        print(i, *grads(model), sep="\n")
    model.set_requires_gradient_sync(True)
    model.set_reshard_after_backward(True)
    optimizer.step()
    return state(model)[:2]


told("accumulated", lambda: accumulated([True, True]))
told("accumulated without sync", lambda: accumulated([False, False, True]))
told("two forwards", lambda: ((model(words()).square().mean() + model(words(1)).square().mean()).backward(), grads(model)))
model.zero_grad()
with torch.no_grad():
    told("without grad", lambda: short(model(words())))
model.eval()
told("eval", lambda: (short(model(words(2))), [type(p).__name__ for p in model.parameters()][:3]))
told("reshard", lambda: (model.reshard(), [type(p).__name__ for p in model.parameters()][:3]))
told("unshard", lambda: (model.unshard(), [type(p).__name__ for p in model.parameters()][:3]))
told("block", lambda: [type(p).__name__ for p in model.blocks[0].parameters()][:2])
told("handle", lambda: isinstance(handle := model.blocks[0].unshard(async_op=True), UnshardHandle) and handle.wait())
told("block", lambda: [(type(p).__name__, short(p)) for p in model.blocks[0].parameters()][:3])
told("state while whole", lambda: state(model)[:2])
told("after", lambda: [type(p).__name__ for p in model.parameters()][:3])
model.train()
register_fsdp_forward_method(model, "embedded")
told("method", lambda: (short(found := model.embedded(words())), found.backward(), grads(model)[:2]))
told("no method", lambda: register_fsdp_forward_method(model, "nothing"))
told("not the root", lambda: model.blocks[0](torch.ones(1, 2, 4).double()).shape)
told("reset", lambda: (model.reset_iter_state(), model.blocks[0].reset_iter_state()))

model = gpt()
model.set_modules_to_forward_prefetch([model.blocks[0]])
model.blocks[0].set_modules_to_forward_prefetch([model.blocks[1]])
model.blocks[1].set_modules_to_backward_prefetch([model.blocks[0]])
model.set_gradient_divide_factor(3.0)
told("prefetched", lambda: trained(model, torch.optim.SGD, x=words))

# -- parameters of several kinds

model = mlp()
model[0].weight.requires_grad_(False)
model[2].requires_grad_(False)
for part in (model[2], model):
    fully_shard(part)
told("frozen", lambda: trained(model, torch.optim.SGD))
model[0].weight.requires_grad_(True)
told("thawed", lambda: trained(model, torch.optim.SGD))


class Unused(nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = nn.Linear(3, 2), nn.Linear(3, 2)

    def forward(self, x):
        return self.used(x)


model = fully_shard(filled(Unused().double()))
told("unused", lambda: trained(model, torch.optim.SGD))
model.set_reduce_scatter_unused_params(True)
told("unused zeros", lambda: trained(model, torch.optim.SGD))
model = mlp()
fully_shard(model, ignored_params={model[0].weight})
told("ignored", lambda: [(name, type(p).__name__) for name, p in model.named_parameters()])
model = filled(nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 8)).double())
fully_shard(model, shard_placement_fn=lambda p: Shard(1) if p.ndim > 1 else None)
told("columns", lambda: trained(model, x=lambda i: numbers(i).reshape(3, 4)))
told("uneven columns", lambda: fully_shard(nn.Linear(3, 2), shard_placement_fn=lambda p: Shard(p.ndim - 1)))
told("not contiguous", lambda: fully_shard(nn.ParameterList([nn.Parameter(torch.ones(2, 3).t())])))
model = mlp()
told("several", lambda: [type(m).__name__ for m in fully_shard([model[2], model[3]])])
told("several", lambda: trained(fully_shard(model)))


def on_meta():
    with torch.device("meta"):
        model = nn.Sequential(nn.Linear(3, 5), nn.Linear(5, 2, bias=False)).double()
    fully_shard(model[0])
    return fully_shard(model)


told("too early", lambda: on_meta()(numbers()))
model = on_meta()
told("meta", lambda: [(p.device.type, tuple(p.shape), tuple(p.to_local().shape)) for p in model.parameters()])
told("empty", lambda: [p.to_local().device.type for p in model.to_empty(device="cpu").parameters()])
told("reset", lambda: [m.reset_parameters() for m in model])
with torch.no_grad():
    for i, p in enumerate(model.parameters()):
        p.copy_(DTensor.from_local(torch.full(p.to_local().shape, i / 7 + rank).double(), p.device_mesh, p.placements,
                                   shape=p.shape, stride=p.stride()))
told("from meta", lambda: trained(model))
told("cast", lambda: (model.float(), [(p.dtype, p.to_local().dtype) for p in model.parameters()]))

# -- state dicts

model, other = gpt(), gpt()
optimizer = torch.optim.Adam(model.parameters(), 0.1)
step(model, optimizer, words())
told("load", lambda: (other.load_state_dict(model.state_dict()), state(other)))
told("keys", lambda: list(other.state_dict())[:3])
told("optimizer", lambda: [(name, [str(q) for q in v.placements] if v.ndim else v.item())
                           for name, v in optimizer.state_dict()["state"][0].items()])
told("clipped", lambda: (whole(nn.utils.clip_grad_norm_(model.parameters(), 0.1)), grads(model)[:2]))
buffer = io.BytesIO()
told("saved", lambda: torch.save({k: v.full_tensor() for k, v in model.state_dict().items()}, buffer))
told("hooks", lambda: (seen := [], model.embed.weight.register_post_accumulate_grad_hook(lambda p: seen.append(tuple(
    p.grad.shape))), model(words()).sum().backward(), seen)[3])
options = StateDictOptions(full_state_dict=True)
whole_state = get_model_state_dict(model, options=options)
told("whole state", lambda: [(name, type(x).__name__, short(x)) for name, x in whole_state.items()])
whole_moments = get_optimizer_state_dict(model, optimizer, options=options)
told("whole moments", lambda: [(name, sorted((key, tuple(x.shape)) for key, x in each.items()))
                               for name, each in whole_moments["state"].items()])
other = gpt()
second = torch.optim.Adam(other.parameters())
told("set", lambda: (set_model_state_dict(other, whole_state, options=options), state(other)[:3]))
told("set moments", lambda: (set_optimizer_state_dict(other, second, whole_moments, options=options), [
    (key, whole(x)) for key, x in second.state[other.embed.weight].items() if x.ndim]))
told("on the first rank", lambda: len(get_model_state_dict(model, options=StateDictOptions(full_state_dict=True,
                                                                                           cpu_offload=True))))
told("offload", lambda: trained(fully_shard(mlp(), offload_policy=CPUOffloadPolicy(pin_memory=False)))[0])
told("policies", lambda: (OffloadPolicy(), CPUOffloadPolicy(), MixedPrecisionPolicy(torch.bfloat16)))

# -- precision


def rounded(model, policy, x):
    for part in model:
        if list(part.parameters()):
            fully_shard(part, mp_policy=policy)
    fully_shard(model, mp_policy=policy)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    found = []
    for _ in range(2):
        optimizer.zero_grad()
        y = model(x)
        found.append((y.dtype, [round(v, 1) for v in y.double().flatten().tolist()]))
        y.double().square().mean().backward()
        found.append([(p.grad.dtype, p.dtype) for p in model.parameters()])
        optimizer.step()
    return found, [[round(v, 2) for v in p.full_tensor().double().flatten().tolist()[:4]] for p in model.parameters()]


x = numbers().float()
for policy in (MixedPrecisionPolicy(torch.bfloat16), MixedPrecisionPolicy(torch.bfloat16, torch.float32, torch.float32),
               MixedPrecisionPolicy(torch.float16, torch.float32), MixedPrecisionPolicy(output_dtype=torch.float64),
               MixedPrecisionPolicy(torch.float64, cast_forward_inputs=True)):
    told(f"{policy}", lambda p=policy: rounded(mlp(torch.float32), p, x))
model = fully_shard(mlp(torch.float32), mp_policy=MixedPrecisionPolicy(torch.bfloat16, torch.float32))
model.set_requires_gradient_sync(False)
told("kept in float32", lambda: model(x).float().sum().backward())
model.set_requires_gradient_sync(True)
told("kept in float32", lambda: (model(x).float().sum().backward(), [(p.grad.dtype, [
    round(v, 1) for v in p.grad.full_tensor().flatten().tolist()[:4]]) for p in model.parameters()]))
told("no casts", lambda: fully_shard(mlp(torch.float32), mp_policy=MixedPrecisionPolicy(
    torch.float64, cast_forward_inputs=False))(x))

dist.barrier()
dist.destroy_process_group()
