"""State dicts by names; what each rank prints is compared with PyTorch's."""

import warnings

import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    get_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
    set_state_dict,
)

warnings.simplefilter("ignore")
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


def told(name, f):
    try:
        found = f()
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {error}"
    print(name, found, flush=True)


def plain(x):
    if isinstance(x, torch.Tensor):
        return [round(v, 4) for v in x.flatten().tolist()], x.requires_grad
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    return [plain(value) for value in x] if isinstance(x, list | tuple) else x


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.bn, self.frozen = torch.nn.Linear(1, 2), torch.nn.BatchNorm1d(2), torch.nn.Linear(1, 1)
        self.frozen.requires_grad_(False)
        with torch.no_grad():
            for i, p in enumerate(self.parameters()):
                p.fill_(i + 1)


def adam(model):
    inner = getattr(model, "module", model)
    return torch.optim.Adam([{"params": inner.a.parameters(), "lr": 0.5},
                             {"params": [*inner.bn.parameters(), *inner.frozen.parameters()]}], lr=0.1)


Options = StateDictOptions
told("options", StateDictOptions)
net = Net()
wrapped = torch.nn.parallel.DistributedDataParallel(net)
for name, model in {"plain": net, "wrapped": wrapped, "inside": torch.nn.Sequential(wrapped)}.items():
    told(f"model {name}", lambda model=model: plain(get_model_state_dict(model)))
told("no frozen", lambda: list(get_model_state_dict(wrapped, options=Options(ignore_frozen_params=True))))
told("part", lambda: list(get_model_state_dict(net, submodules={net.a})))
told("part alone",
     lambda: list(get_model_state_dict(net, submodules={net.a}, options=Options(keep_submodule_prefixes=False))))
told("on the CPU", lambda: list(get_model_state_dict(net, options=Options(cpu_offload=True))))
told("for rank 0", lambda: list(get_model_state_dict(net, options=Options(full_state_dict=True, cpu_offload=True))))
optimizer = adam(net)
told("optimizer", lambda: plain(get_optimizer_state_dict(wrapped, optimizer)))
told("begun", lambda: (plain(optimizer.state_dict()), [p.grad for p in net.parameters()], plain(net.state_dict())))
flat = get_optimizer_state_dict(net, optimizer, options=Options(flatten_optimizer_state_dict=True))
told("flat", lambda: plain(flat))
told("optimizer for rank 0",
     lambda: list(get_optimizer_state_dict(net, optimizer, options=Options(full_state_dict=True, cpu_offload=True))))
told("both", lambda: [list(x) for x in get_state_dict(net, [optimizer])])
told("none", lambda: [list(x) for x in get_state_dict(net, [])])
told("shared", lambda: get_model_state_dict(wrapped)["a.weight"].data_ptr() == net.a.weight.data_ptr())
for momentum in (0.9, 0):
    told("sgd", lambda m=momentum: plain(get_optimizer_state_dict(
        net, torch.optim.SGD(net.a.parameters(), 0.1, momentum=m))))
state, optim = get_state_dict(wrapped, optimizer)
state = {key: value.clone() + 1 if value.is_floating_point() else value.clone() for key, value in state.items()}
for values in optim["state"].values():
    values["exp_avg"] = values["exp_avg"] + 3
optim["param_groups"][0]["lr"] = 0.7
other = Net()
second = adam(other)
told("set", lambda: set_state_dict(other, second, model_state_dict=state, optim_state_dict=optim))
told("has been set", lambda: (plain(other.state_dict()), plain(second.state_dict())))
told("set wrapped", lambda: (set_model_state_dict(wrapped, dict(state)), plain(net.state_dict())))
third = adam(other)
told("set flat", lambda: set_optimizer_state_dict(other, third, flat, options=Options(flatten_optimizer_state_dict=True)))
told("has been set flat", lambda: plain(third.state_dict()))
less = {key: value for key, value in state.items() if key != "a.bias"}
for options in (Options(), Options(strict=False)):
    told("less", lambda o=options: set_model_state_dict(net, less, options=o))
    told("more", lambda o=options: set_model_state_dict(net, {**state, "z": torch.ones(1)}, options=o))
    few = {"state": {key: value for key, value in optim["state"].items() if key != "a.bias"},
           "param_groups": optim["param_groups"]}
    told("few", lambda o=options, few=few: set_optimizer_state_dict(net, optimizer, few, options=o))
told("has been set few", lambda: plain(optimizer.state_dict()["state"]))
told("empty", lambda: set_model_state_dict(net, {}))
told("empty optimizer", lambda: set_optimizer_state_dict(net, optimizer, {}))
told("not whole", lambda: set_model_state_dict(net, state, options=Options(broadcast_from_rank0=True)))
told("not in the model", lambda: get_optimizer_state_dict(net, torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], 0.1)))
net.a.weight.grad = torch.ones(2, 1)
told("with gradients", lambda: plain(get_optimizer_state_dict(net, torch.optim.SGD(net.a.parameters(), 0.1, momentum=0.9))))
mine = {key: value + rank for key, value in state.items()}
told("from rank 0", lambda: (set_model_state_dict(
    other, mine, options=Options(full_state_dict=True, broadcast_from_rank0=True)), plain(other.state_dict())))
compiled = torch.compile(net)
told("compiled", lambda: (list(get_model_state_dict(compiled)), list(get_optimizer_state_dict(compiled, optimizer)["state"]),
                          list(get_model_state_dict(torch.nn.Sequential(compiled, torch.nn.Linear(1, 1))))))
dist.destroy_process_group()
