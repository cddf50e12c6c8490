"""The GPT on batches of five sequence lengths in turn."""

import itertools

from benchmarks.programs import gpt

TITLE = "the GPT, five sequence lengths in turn"
LENGTHS = (64, 60, 52, 44, 36)


def make_step(torch, wrap):
    """One step of the program in PyTorch's API; `wrap` compiles what a user would compile. Its result is the loss."""
    train = gpt.make_step_of_length(torch, wrap)
    lengths = itertools.cycle(LENGTHS)
    return lambda: train(next(lengths))
