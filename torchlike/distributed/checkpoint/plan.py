"""Who writes what: each tensor is written by one of the ranks that have it."""

import math
import pickle

from torchlike.distributed.checkpoint.errors import CheckpointException


def offered(tensors: dict, objects: dict, folder: str, alone: bool) -> dict:
    """What a rank tells the others of what it has.

    Args:
        tensors: {name: (size, dtype)}.
        objects: {name: value}.
        folder: where the data would go.
        alone: whether there are no others.

    Returns:
        a dict; in it objects are pickled, so that they can be compared.
    """
    return {"tensors": tensors, "folder": folder,
            "objects": objects if alone else {name: pickle.dumps(value) for name, value in objects.items()}}


def joined(offers: list[dict]) -> dict:
    """The metadata of a checkpoint of what all ranks have.

    Args:
        offers: of each rank what `offered` has returned.

    Returns:
        {"tensors": {name: (size, dtype)}, "places": {name: the rank that writes it}, "data": the directory, "objects":
        {name: value}, "by_rank": {name: {rank: value}} of those objects that are not the same on all ranks}.

    Raises:
        CheckpointException: a tensor has another size on another rank.
    """
    tensors: dict = {}
    for rank, offer in enumerate(offers):
        for name, size in offer["tensors"].items():
            if tensors.setdefault(name, size) != size:
                raise CheckpointException("save", {rank: ValueError(
                    f"{name} has size {size[0]} and dtype {size[1]} on rank {rank}, and {tensors[name][0]}, "
                    f"{tensors[name][1]} on another")})
    objects, by_rank = _values(offers)
    return {"tensors": tensors, "places": _places(tensors, offers), "data": offers[0]["folder"], "objects": objects,
            "by_rank": by_rank}


def _places(tensors, offers) -> dict:
    """The rank that writes each tensor: the one that has least to write so far."""
    loads, found = [0] * len(offers), {}
    for name, (size, dtype) in tensors.items():
        rank = min((r for r, offer in enumerate(offers) if name in offer["tensors"]), key=loads.__getitem__)
        loads[rank] += math.prod(size) * dtype.itemsize
        found[name] = rank
    return found


def _values(offers) -> tuple[dict, dict]:
    """(the first rank's objects, those that are not the same on all ranks that have them)."""
    if len(offers) == 1:
        return offers[0]["objects"], {}
    held: dict = {}
    for rank, offer in enumerate(offers):
        for name, value in offer["objects"].items():
            held.setdefault(name, {})[rank] = value
    objects = {name: pickle.loads(next(iter(values.values()))) for name, values in held.items()}
    differing = [name for name, values in held.items() if len(set(values.values())) > 1]
    return objects, {name: {rank: pickle.loads(value) for rank, value in held[name].items()} for name in differing}
