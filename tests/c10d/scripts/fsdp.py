"""Training with FullyShardedDataParallel in every way; what each rank prints is compared with PyTorch's."""

import functools
import re
import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import (
    FullOptimStateDictConfig,
    FullStateDictConfig,
    MixedPrecision,
    ShardedStateDictConfig,
    ShardingStrategy,
    StateDictType,
)
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP  # noqa: N817 - so it is called
from torch.distributed.fsdp.wrap import (
    CustomPolicy,
    ModuleWrapPolicy,
    always_wrap_policy,
    enable_wrap,
    lambda_auto_wrap_policy,
    size_based_auto_wrap_policy,
    transformer_auto_wrap_policy,
    wrap,
)

warnings.simplefilter("ignore")
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
here = torch.device("cpu")


def told(name, f):
    try:
        found = f()
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {re.sub('torch[a-z]*[.]', '', str(error))[:200]}"
    print(name, found, flush=True)


def short(x):
    return [f"{v:.7f}" for v in (x.detach().double() + 1e-12).reshape(-1).tolist()[:4]]


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = nn.Linear(4, 6), nn.Linear(6, 4, bias=False)

    def forward(self, x):
        return x + self.outer(torch.tanh(self.inner(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(7, 4)
        self.blocks = nn.Sequential(Block(), Block())
        self.head = nn.Linear(4, 7, bias=False)
        self.head.weight = self.embed.weight
        self.register_buffer("scale", torch.tensor([0.5]))

    def forward(self, x):
        return self.head(self.blocks(self.embed(x))) * self.scale


def network(dtype=torch.float64):
    model = Net().to(dtype)
    with torch.no_grad():
        for i, p in enumerate(model.parameters()):
            p.copy_(((torch.arange(p.numel()) * 7 + i) % 11 - 5).reshape(p.shape) / 9)
    return model


def wrapped(policy=ModuleWrapPolicy({Block}), dtype=torch.float64, **how):  # noqa: B008
    return FSDP(network(dtype), auto_wrap_policy=policy, device_id=here, **how)


def words(i=0):
    return (torch.arange(10).reshape(2, 5) * (rank + 2) + i) % 7


def full(model):
    return [(name, tuple(x.shape), short(x)) for name, x in model.state_dict().items()]


def trained(model, kind=torch.optim.Adam, steps=5, **options):
    optimizer = kind(model.parameters(), **{"lr": 0.05, **options})
    losses = []
    for i in range(steps):
        optimizer.zero_grad()
        loss = model(words(i)).double().square().mean()
        loss.backward()
        optimizer.step()
        losses.append(short(loss))
    print([(name, tuple(p.shape), None if p.grad is None else short(p.grad)) for name, p in model.named_parameters()])
    print(*full(model), sep="\n")
    return losses, optimizer


# -- which modules

told("root", lambda: FSDP(network(), device_id=here))
told("text", lambda: wrapped())
for name, policy in {
        "always": always_wrap_policy, "size": functools.partial(size_based_auto_wrap_policy, min_num_params=40),
        "transformer": functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block}),
        "lambda": functools.partial(lambda_auto_wrap_policy, lambda_fn=lambda m: isinstance(m, nn.Embedding)),
        "custom": CustomPolicy(lambda m: {"sharding_strategy": ShardingStrategy.SHARD_GRAD_OP} if isinstance(m, Block)
                               else False), "none": CustomPolicy(lambda m: 3)}.items():
    told(name, lambda p=policy: [n for n, _ in FSDP(nn.Sequential(Block(), nn.Embedding(3, 4), nn.Linear(4, 4)),
                                                    auto_wrap_policy=p, device_id=here).named_parameters()])
with enable_wrap(wrapper_cls=FSDP, device_id=here):
    told("wrap", lambda: wrap(nn.Linear(2, 2)))
told("wrap outside", lambda: wrap(nn.Linear(2, 2)))
told("modules", lambda: (len(FSDP.fsdp_modules(wrapped())), len(FSDP.fsdp_modules(wrapped(), root_only=True))))
told("wrapped again", lambda: FSDP(wrapped(), auto_wrap_policy=always_wrap_policy, device_id=here))
told("both", lambda: FSDP(network(), process_group=dist.group.WORLD, device_mesh=3, device_id=here))
told("dtypes", lambda: FSDP(nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2).double()), device_id=here))
frozen = network()
frozen.blocks.requires_grad_(False)
told("frozen", lambda: FSDP(frozen, device_id=here))
told("scalar", lambda: FSDP(nn.ParameterList([nn.Parameter(torch.tensor(1.0))]), device_id=here))
told("attribute", lambda: (wrapped().embed.embedding_dim, type(wrapped().module).__name__))

# -- training

for apart in (False, True):
    for strategy in (ShardingStrategy.FULL_SHARD, ShardingStrategy.SHARD_GRAD_OP, ShardingStrategy.NO_SHARD):
        told(f"{strategy} {apart}", lambda s=strategy, a=apart: trained(wrapped(sharding_strategy=s, use_orig_params=a))[0])
    told("sgd", lambda a=apart: trained(wrapped(use_orig_params=a), torch.optim.SGD, momentum=0.9)[0])
    model = wrapped(use_orig_params=apart)
    with model.no_sync():
        told("no sync", lambda m=model: m(words()).square().mean().backward())
    told("sync", lambda m=model: (m(words(1)).square().mean().backward(), [
        (name, short(p.grad)) for name, p in m.named_parameters()]))
    with torch.no_grad():
        told("without grad", lambda m=model: short(m(words())))
    model = wrapped(use_orig_params=apart, dtype=torch.float32)
    told("clipped", lambda m=model: (m(words()).square().mean().backward(), f"{m.clip_grad_norm_(0.01).item():.5f}", [
        [f"{v:.4f}" for v in p.grad.flatten().tolist()[:4]] for p in m.parameters()]))
    told("infinite", lambda m=model: f"{m.clip_grad_norm_(0.001, float('inf')).item():.5f}")
    precision = MixedPrecision(torch.bfloat16, torch.float32, torch.bfloat16)
    model = wrapped(use_orig_params=apart, dtype=torch.float32, mixed_precision=precision)
    told("rounded", lambda m=model: (m(words()).dtype, m(words()).float().sum().backward(), [
        p.dtype for p in m.parameters()], m.scale.dtype))
model = network()
model.blocks.requires_grad_(False)
told("some frozen", lambda: trained(FSDP(model, use_orig_params=True, device_id=here), torch.optim.SGD)[0])
model = network()
told("ignored", lambda: [name for name, _ in FSDP(model, ignored_states=[model.blocks[0]], device_id=here,
                                                  use_orig_params=True).named_parameters()])

# -- whole parameters and state dicts

for apart in (False, True):
    model = wrapped(use_orig_params=apart)
    losses, optimizer = trained(model, steps=2)
    with FSDP.summon_full_params(model, with_grads=apart):
        told("summoned", lambda m=model: [(n, tuple(p.shape), type(p).__name__, None if p.grad is None else short(p.grad))
                                          for n, p in m.named_parameters()])
        with torch.no_grad():
            model.embed.weight.add_(1)
    told("written", lambda m=model: full(m)[0])
    with FSDP.summon_full_params(model, writeback=False), torch.no_grad():
        model.embed.weight.add_(1)
    told("not written", lambda m=model: full(m)[0])
    told("rank 0", lambda m=model: FSDP.summon_full_params(m, rank0_only=True).__enter__())
    told("settings", lambda m=model: FSDP.get_state_dict_type(m))
    told("other settings", lambda m=model: FSDP.set_state_dict_type(m, StateDictType.FULL_STATE_DICT,
                                                                    ShardedStateDictConfig()))
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, FullStateDictConfig(rank0_only=True),
                              FullOptimStateDictConfig(rank0_only=True)):
        told("on rank 0", lambda m=model: full(m))
        told("state on rank 0", lambda m=model, o=optimizer: len(FSDP.optim_state_dict(m, o)))
    other = wrapped(use_orig_params=apart)
    told("load", lambda m=model, o=other: (o.load_state_dict(m.state_dict()), full(o)))
    saved = model.state_dict()
    saved["more"] = saved.pop("blocks.0.inner.bias")
    told("missing", lambda o=other, s=saved: o.load_state_dict(s, strict=False))
    with FSDP.state_dict_type(model, StateDictType.SHARDED_STATE_DICT):
        parts = model.state_dict()
        told("sharded", lambda p=parts: list(p))
        with torch.no_grad():
            for p in model.parameters():
                p.zero_()
        told("load sharded", lambda m=model, p=parts: m.load_state_dict(p))
    told("as before", lambda m=model: full(m))
    state = FSDP.optim_state_dict(model, optimizer)
    told("optimizer", lambda s=state: [(name, sorted((key, tuple(v.shape), short(v)) for key, v in each.items()
                                                     if key != "exp_avg"))  # PyTorch's is exp_avg_sq, on a CPU
                                       for name, each in sorted(s["state"].items())])
    told("groups", lambda s=state: [(sorted(g["params"]), g["lr"]) for g in s["param_groups"]])
    second = torch.optim.Adam(other.parameters(), 0.3)
    told("to load", lambda o=other, t=second, s=state: t.load_state_dict(FSDP.optim_state_dict_to_load(o, t, s)))
    told("again", lambda o=other, t=second: [(name, sorted((key, short(v)) for key, v in each.items()
                                                           if key != "exp_avg"))
                                             for name, each in sorted(FSDP.optim_state_dict(o, t)["state"].items())])
    told("rate", lambda t=second: t.param_groups[0]["lr"])
dist.barrier()
dist.destroy_process_group()
