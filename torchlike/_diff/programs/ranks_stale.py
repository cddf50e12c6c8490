"""A parameter server that waits for nobody: what do steps with the gradients of older parameters give?

Rank 0 has the parameters. Ranks take turns: each sends the gradient of its batch, gets the parameters after that step, and
computes its next gradient from these, while the others' steps go by. So a gradient is as many steps old as there are other
ranks: never older, and the order is the same in every run. One process is never late. It is no matter of processes, though:
`replayed` keeps a list of the last parameters instead, and has the same numbers.
"""
# torchlike diff: ranks 2
# torchlike diff: same fresh, loss_of_fresh
# torchlike diff: by rank worker.*: each rank has the parameters that it got last, and its own gradient
# torchlike diff: not one process served, replayed, loss_of_served: each gradient is one of older parameters
import torch
import torch.distributed as dist
from torch import nn

STEPS, RATE = 12, 0.2


def network():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1)).double()


def batch(step):
    torch.manual_seed(100 + step)
    x = torch.randn(16, 4, dtype=torch.float64)
    return x, x.sin().sum(1, keepdim=True)


def loss_at(model, values, step):
    nn.utils.vector_to_parameters(values, model.parameters())
    x, y = batch(step)
    return nn.functional.mse_loss(model(x), y)


def gradient(model, values, step):
    """The gradient of a step's batch at some parameters; both are flat."""
    model.zero_grad()
    loss_at(model, values, step).backward()
    return torch.cat([p.grad.flatten() for p in model.parameters()])


def serve(model):
    """All parameters after the last step, on rank 0; on the others those that they got."""
    values = nn.utils.parameters_to_vector(model.parameters()).detach().clone()
    mine = gradient(model, values, rank) if rank < STEPS else None
    for step in range(STEPS):
        worker = step % size
        if rank == 0:
            if worker:
                got = torch.empty_like(values)
                dist.recv(got, worker)
            values = values - RATE * (got if worker else mine)
            if worker:
                dist.send(values, worker)
        elif rank == worker:
            dist.send(mine, 0)
            dist.recv(values, 0)
        if rank == worker and step + size < STEPS:
            mine = gradient(model, values, step + size)
    dist.broadcast(values, 0)
    return values


def replay(model, late):
    """The same on one rank: each gradient is of the parameters so many steps ago."""
    past = [nn.utils.parameters_to_vector(model.parameters()).detach().clone()]
    for step in range(STEPS):
        past.append(past[-1] - RATE * gradient(model, past[max(0, step - late)], step))
    return past[-1]


dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
worker = network()
served = serve(worker)
replayed, fresh = replay(network(), size - 1), replay(network(), 0)
with torch.no_grad():
    loss_of_served, loss_of_fresh = (loss_at(network(), values, STEPS).item() for values in (served, fresh))
print("served as replayed:", torch.allclose(served, replayed, rtol=1e-12))
print(f"loss {loss_of_served:.3g}, with fresh gradients {loss_of_fresh:.3g}")
dist.destroy_process_group()
