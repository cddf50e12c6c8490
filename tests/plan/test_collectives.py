"""Bytes on the wire against rings that are run."""

import pytest

from torchlike._plan.collectives import ALL_GATHER, ALL_REDUCE, BROADCAST, REDUCE_SCATTER, SEND, ring

SIZE = 5040  # divisible by all numbers of devices below


def reduce_scatter(n):
    """A ring of n: what each device sends in turn, until each has one part summed. (bytes of each device, parts)."""
    parts = [[{device} for _ in range(n)] for device in range(n)]
    sent = [0] * n
    for turn in range(n - 1):
        moving = [(device, (device - turn) % n) for device in range(n)]
        carried = [set(parts[device][part]) for device, part in moving]
        for (device, part), what in zip(moving, carried, strict=True):
            parts[(device + 1) % n][part] |= what
            sent[device] += SIZE // n
    return sent, parts


def all_gather(n, parts):
    """The summed parts go round."""
    sent = [0] * n
    for turn in range(n - 1):
        moving = [(device, (device + 1 - turn) % n) for device in range(n)]
        carried = [set(parts[device][part]) for device, part in moving]
        for (device, part), what in zip(moving, carried, strict=True):
            parts[(device + 1) % n][part] = what
            sent[device] += SIZE // n
    return sent, parts


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_rings(n):
    scattered, parts = reduce_scatter(n)
    gathered, parts = all_gather(n, parts)
    assert all(part == set(range(n)) for device in parts for part in device)
    assert [ring(REDUCE_SCATTER, n, SIZE)] * n == scattered
    assert [ring(ALL_GATHER, n, SIZE)] * n == gathered
    assert [ring(ALL_REDUCE, n, SIZE)] * n == [a + b for a, b in zip(scattered, gathered, strict=True)]
    assert ring(BROADCAST, n, SIZE) * n == SIZE * (n - 1)
    assert ring(SEND, n, SIZE) == SIZE
