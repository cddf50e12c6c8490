"""Trains a small model: alone, or on each rank as a DistributedDataParallel. Each rank prints as JSON what its third step
holds in memory, and what its backward pass sends.

``scaled.py MODEL OPTIMIZER [--global | --tensor | --sharded]``; with ``--global`` the ranks share a batch, with ``--tensor``
they share layers, those of the mlp, with ``--sharded`` parameters, gradients and moments, by `fully_shard` of each block.
"""

import itertools
import json
import os
import sys

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

nn = torch.nn
BATCH, WIDTH, CLASSES = 64, 128, 64


class Block(nn.Module):
    """A residual block with attention, of 8 heads."""

    def __init__(self, width=WIDTH):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        """The block."""
        n, length, width = x.shape
        y = self.norm1(x)
        parts = (layer(y).view(n, length, 8, width // 8).transpose(1, 2) for layer in (self.q, self.k, self.v))
        y = nn.functional.scaled_dot_product_attention(*parts, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(n, length, width))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class Tokens(nn.Module):
    """A GPT of two blocks."""

    def __init__(self, checkpoint=False):
        super().__init__()
        self.token, self.checkpoint = nn.Embedding(512, WIDTH), checkpoint
        self.blocks = nn.ModuleList([Block() for _ in range(2)])
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, CLASSES)

    def forward(self, tokens):
        """Scores of classes."""
        x = self.token(tokens)
        for block in self.blocks:
            x = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False) if self.checkpoint else block(x)
        return self.head(self.norm(x).mean(1))


def mlp():
    """Four products: each second one can be split by rows."""
    widths = (256, 1024, 256, 1024, CLASSES)
    layers = [part for a, b in itertools.pairwise(widths) for part in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*layers[:-1]), lambda n: torch.randn(n, 256)


def cnn():
    """Convolutions with running averages."""
    layers = [nn.Conv2d(3, 32, 3), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3), nn.BatchNorm2d(64),
              nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(1024, CLASSES)]
    return nn.Sequential(*layers), lambda n: torch.randn(n, 3, 16, 16)


def gpt():
    """Attention."""
    return Tokens(), lambda n: torch.randint(0, 512, (n, 16))


def checkpointed():
    """The same with checkpoints."""
    return Tokens(checkpoint=True), lambda n: torch.randint(0, 512, (n, 16))


MODELS = {made.__name__: made for made in (mlp, cnn, gpt, checkpointed)}
OPTIMIZERS = {"adamw": lambda ps: torch.optim.AdamW(ps, lr=1e-3), "sgd": lambda ps: torch.optim.SGD(ps, lr=1e-3),
              "momentum": lambda ps: torch.optim.SGD(ps, lr=1e-3, momentum=0.9)}


def size_of(tensors):
    """The bytes that this rank has of tensors."""
    own = [x.to_local() if hasattr(x, "to_local") else x for x in tensors]
    return sum(x.numel() * x.element_size() for x in own)


class Saved:
    """What a graph keeps for backward: ``bytes``, asked before the pass."""

    def __init__(self, model):
        self.model, self.known, self.found = model, set(), {}

    def pack(self, x):
        """A pack hook."""
        storage = x.untyped_storage()
        if storage.data_ptr() not in self.known:
            self.found[storage.data_ptr()] = storage.nbytes()
        return x

    def run(self, forward):
        """(the loss, bytes)."""
        if "--tensor" in sys.argv or "--sharded" in sys.argv:  # each library has wrappers of its own
            return forward(), 0
        if hasattr(torch, "counters"):  # torchlike: the memory that there is, or will be
            loss = forward()
            return loss, sum(x.bytes for x in torch.memory.report().values if x.kind == "saved for backward")
        self.known = {x.untyped_storage().data_ptr() for x in (*self.model.parameters(), *self.model.buffers())}
        with torch.autograd.graph.saved_tensors_hooks(self.pack, lambda x: x):
            loss = forward()
        return loss, sum(self.found.values())


def main():
    """The program."""
    ranks = int(os.environ.get("WORLD_SIZE", "1"))
    torch.manual_seed(0)
    plain, draw = MODELS[sys.argv[1]]()
    model, sent = plain, []
    if ranks > 1 and "--tensor" in sys.argv:
        mesh = init_device_mesh("cpu", (ranks,))
        parallelize_module(plain, mesh, {str(i): RowwiseParallel() if i % 4 else ColwiseParallel() for i in range(0, 8, 2)})
    elif ranks > 1 and "--sharded" in sys.argv:
        init_device_mesh("cpu", (ranks,))
        for block in [part for part in plain.modules() if isinstance(part, Block)]:
            fully_shard(block)
        fully_shard(plain)
    elif ranks > 1:
        dist.init_process_group("gloo")
        model = DistributedDataParallel(plain)

        def hook(state, bucket):
            sent.append(bucket.buffer().numel() * bucket.buffer().element_size())
            return allreduce_hook(state, bucket)

        model.register_comm_hook(None, hook)
    optimizer = OPTIMIZERS[sys.argv[2]](plain.parameters())
    batch = BATCH // ranks if "--global" in sys.argv else BATCH
    inputs, classes = draw(batch), torch.randint(0, CLASSES, (batch,))
    for _ in range(3):
        optimizer.zero_grad()
        sent.clear()
        loss, saved = Saved(plain).run(lambda: nn.functional.cross_entropy(model(inputs), classes))
        loss.backward()
        optimizer.step()
    states = [x for state in optimizer.state.values() for x in state.values() if torch.is_tensor(x)]
    print(json.dumps({
        "parameters": size_of(plain.parameters()), "gradients": size_of(p.grad for p in plain.parameters()),
        "moments": size_of(states), "buffers": size_of(plain.buffers()), "saved for backward": saved, "sent": sent}))
    if ranks > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
