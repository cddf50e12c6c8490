"""``python -m benchmarks.memory.growth``: the resident memory of a process that trains on ever new shapes."""

import argparse
import gc
import sys

import torchlike
from benchmarks.memory import resident

LENGTHS = 60  # of sequences; with so many batch sizes as it takes
REPORTS = 20


class Trainer:
    """A small network and its optimizer."""

    def __init__(self):
        nn = torchlike.nn
        self.model = nn.Sequential(nn.Embedding(16, 8), nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 16))
        self.optimizer = torchlike.optim.Adam(self.model.parameters())

    def step(self, shape: int) -> None:
        """One step on data of the shape of that number, whose loss is read."""
        tokens = torchlike.randint(0, 16, (1 + shape // LENGTHS, 2 + shape % LENGTHS))
        self.optimizer.zero_grad()
        loss = torchlike.nn.functional.cross_entropy(self.model(tokens).flatten(0, 1), tokens.flatten())
        loss.backward()
        self.optimizer.step()
        loss.item()


def main() -> int:
    """Print the resident memory twenty times."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory.growth", description=__doc__)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--shapes", type=int, default=3_000)
    options = parser.parse_args()
    trainer, every = Trainer(), max(1, options.steps // REPORTS)
    for number in range(1, options.steps + 1):
        trainer.step(number % options.shapes)
        if number % every == 0:
            gc.collect()
            print(f"{number:>8} steps {resident.now() / 1e6:>8.0f} MB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
