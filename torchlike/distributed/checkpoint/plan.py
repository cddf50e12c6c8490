"""Who writes what: each part of a tensor is written by one of the ranks that have it."""

import math
import pickle

from torchlike.distributed.checkpoint.errors import CheckpointException


def offered(parts: dict, objects: dict, paths: dict, folder: str, alone: bool) -> dict:
    """What a rank tells the others of what it has.

    Args:
        parts: {name: Part}.
        objects: {name: value}.
        paths: {name: the keys that lead to it}.
        folder: where the data would go.
        alone: whether there are no others.

    Returns:
        a dict; in it objects are pickled, so that they can be compared.
    """
    return {"tensors": {name: (part.size, part.dtype) for name, part in parts.items()}, "folder": folder,
            "parts": {name: part.place for name, part in parts.items()}, "paths": paths,
            "objects": objects if alone else {name: pickle.dumps(value) for name, value in objects.items()}}


def joined(offers: list[dict]) -> dict:
    """The metadata of a checkpoint of what all ranks have.

    Args:
        offers: of each rank what `offered` has returned.

    Returns:
        {"tensors": {name: (size, dtype)}, "parts": {name: [(where a part lies, the rank that writes it)]}, "data": the
        directory, "objects": {name: value}, "by_rank": {name: {rank: value}} of those objects that are not the same on all
        ranks, "paths": {name: the keys that lead to it}}.

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
    paths = {name: path for offer in offers for name, path in offer["paths"].items()}
    return {"tensors": tensors, "parts": _parts(tensors, offers), "data": offers[0]["folder"], "objects": objects,
            "by_rank": by_rank, "paths": paths}


def _parts(tensors, offers) -> dict:
    """The rank that writes each part: the one that has least to write so far."""
    loads, found = [0] * len(offers), {}
    for name, (_, dtype) in tensors.items():
        held: dict = {}
        for rank, offer in enumerate(offers):
            if name in offer["parts"]:
                held.setdefault(offer["parts"][name], []).append(rank)
        found[name] = []
        for place, ranks in held.items():
            rank = min(ranks, key=loads.__getitem__)
            loads[rank] += math.prod(place[1]) * dtype.itemsize
            found[name].append((place, rank))
    return found


def part_name(name: str, place: tuple) -> str:
    """Under which name a part is written.

    Args:
        name: the tensor's.
        place: where the part lies.

    Returns:
        the name; that of the tensor for a part that begins where it begins.
    """
    return f"{name}@{'_'.join(map(str, place[0]))}" if any(place[0]) else name


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
