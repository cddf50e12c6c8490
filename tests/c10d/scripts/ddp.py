"""Training with DistributedDataParallel in every way; what each rank prints is compared with PyTorch's."""

import copy
import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

warnings.simplefilter("ignore")
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


def told(name, f):
    try:
        found = f()
    except Exception as error:  # noqa: BLE001 - what it raises is compared
        found = f"{type(error).__name__}: {error}"
    print(name, found, flush=True)


def numbers(*shape, dtype=torch.float64):
    count = 1
    for n in shape:
        count *= n
    values = torch.arange(count) * 7 % 11 + rank * 3
    return (values.reshape(shape).to(dtype) - 5) / 4


def text(values):
    return [[f"{x:.8f}" for x in (v.detach().double() + 1e-12).reshape(-1).tolist()[:6]] for v in values]


def model(dtype=torch.float64):
    torch.manual_seed(rank)  # rank 0's is taken
    return nn.Sequential(nn.Linear(3, 5, bias=False), nn.BatchNorm1d(5), nn.ReLU(), nn.Linear(5, 2)).to(dtype)


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.common, self.mine, self.others = nn.Linear(3, 3), nn.Linear(3, 2), nn.Linear(3, 2)
        self.unused = nn.Linear(2, 2)

    def forward(self, x):
        x = self.common(x)
        return {"out": (self.mine if dist.get_rank() == 0 else self.others)(x)}


def trained(net, optimizer, steps=4, accumulate=1):
    for _ in range(steps):
        optimizer.zero_grad()
        for i in range(accumulate):
            if i < accumulate - 1:
                with net.no_sync():
                    net(numbers(4, 3)).square().mean().backward()
            else:
                net(numbers(4, 3)).square().mean().backward()
        optimizer.step()
    return text(net.state_dict().values())


net = DistributedDataParallel(model())
told("first", lambda: text(net.state_dict().values()))
told("names", lambda: list(net.state_dict()))
told("sgd", lambda: trained(net, torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)))
told("grads", lambda: text(p.grad for p in net.parameters()))
net = DistributedDataParallel(model(), bucket_cap_mb=1e-5)
told("small buckets", lambda: trained(net, torch.optim.AdamW(net.parameters(), 0.01)))
net = DistributedDataParallel(model(), gradient_as_bucket_view=True)
told("accumulated", lambda: trained(net, torch.optim.SGD(net.parameters(), 0.1), accumulate=3))
net = DistributedDataParallel(model(), broadcast_buffers=False)
told("own buffers", lambda: trained(net, torch.optim.SGD(net.parameters(), 0.1)))
net = DistributedDataParallel(model(torch.float32), static_graph=True)
told("static", lambda: [[round(float(x) + 1e-6, 4) for x in v]
                        for v in trained(net, torch.optim.SGD(net.parameters(), 0.1))])
net = DistributedDataParallel(Branches().double(), find_unused_parameters=True)
sgd = torch.optim.SGD(net.parameters(), 0.1)


def branches():
    sgd.zero_grad()
    net(numbers(2, 3))["out"].sum().backward()
    sgd.step()
    return text([p.grad for p in net.parameters() if p.grad is not None]), [p.grad is None for p in net.parameters()]


told("unused", branches)
told("unused again", branches)
net = DistributedDataParallel(Branches().double())
told("not found", lambda: (net(numbers(2, 3))["out"].sum().backward(), net(numbers(2, 3)))[:0])


def halving(state, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
    state.append((bucket.index(), bucket.is_last(), tuple(bucket.buffer().shape), len(bucket.parameters()),
                  [tuple(g.shape) for g in bucket.gradients()]))
    work = dist.all_reduce(bucket.buffer(), async_op=True)
    return work.get_future().then(lambda future: future.value()[0] / (2 * size))


net, seen = DistributedDataParallel(model()), []
net.register_comm_hook(seen, halving)
told("hook", lambda: trained(net, torch.optim.SGD(net.parameters(), 0.1), 2))
told("hook saw", lambda: seen)
told("second hook", lambda: net.register_comm_hook(None, halving))
told("no function", lambda: net.register_comm_hook(None, 3))
net = DistributedDataParallel(model())
told("two forwards", lambda: (net(numbers(4, 3)).sum() + net(numbers(4, 3)).sum()).backward())
told("no grad", lambda: DistributedDataParallel(nn.ReLU()))
told("devices", lambda: DistributedDataParallel(model(), device_ids=[0, 1]))
told("device", lambda: DistributedDataParallel(model(), device_ids=[0]))
told("copied", lambda: text(copy.deepcopy(net.module).parameters()))
told("printed", lambda: net)
with torch.no_grad():
    told("without grad", lambda: text([net(numbers(4, 3))]))
inner = DistributedDataParallel(model())
inner(numbers(4, 3)).sum().backward()
inner(numbers(4, 3)).sum().backward()
told("twice without zero_grad", lambda: text(p.grad for p in inner.parameters()))
grad = next(inner.parameters()).grad
inner.zero_grad(set_to_none=False)
inner(numbers(4, 3)).sum().backward()
told("the same tensor", lambda: (next(inner.parameters()).grad is grad, text([grad])))
inner.module[0].weight.requires_grad_(False)
told("leaf", lambda: [p.grad.is_leaf for p in inner.parameters()])
told("logging", lambda: sorted(inner._get_ddp_logging_data().items())[:0])
net = DistributedDataParallel(nn.Conv2d(2, 4, 3).double().to(memory_format=torch.channels_last))
net(numbers(2, 2, 5, 5).to(memory_format=torch.channels_last)).sum().backward()
told("strides", lambda: ([p.grad.stride() for p in net.parameters()], text(p.grad for p in net.parameters())))
net = DistributedDataParallel(nn.Linear(3, 2).double())


def failing(state, bucket):
    raise RuntimeError("no")


net.register_comm_hook(None, failing)
told("failing hook", lambda: net(numbers(4, 3)).sum().backward())
told("own gradients", lambda: text(p.grad for p in net.parameters()))
sampler = torch.utils.data.DistributedSampler(range(7), seed=3)
told("sampler", lambda: [[*sampler], len(sampler), sampler.set_epoch(1), [*sampler]])
loader = torch.utils.data.DataLoader(range(8), 2, sampler=torch.utils.data.DistributedSampler(range(8), shuffle=False),
                                     num_workers=2)
told("workers", lambda: [batch.tolist() for batch in loader])
told("after workers", lambda: (dist.all_reduce(t := torch.ones(3)), t.tolist()))
dist.barrier()
dist.destroy_process_group()
