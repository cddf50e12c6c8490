"""Dividing batches and putting them together, in one process beside PyTorch."""

import importlib

import pytest
import torch
import torch.distributed.pipelining.microbatch as theirs

import torchlike
import torchlike.distributed.pipelining.microbatch as ours

LIBRARIES = ((torch, theirs), (torchlike, ours))


def plain(x):
    if hasattr(x, "to_dense"):  # tensors and masks
        return "tensor", tuple(x.shape), x.tolist() if hasattr(x, "tolist") else x.to_dense().tolist()
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    return type(x)(map(plain, x)) if isinstance(x, list | tuple) else x


def told(f, *libraries):
    try:
        return plain(f(*libraries))
    except Exception as error:  # noqa: BLE001 - compared
        return type(error).__name__, str(error).replace("torchlike.", "torch.")


def rows(t, n, width=2):
    return t.arange(float(n * width)).reshape(n, width)


SPLITS = {
    "even": lambda t, m: m.split_args_kwargs_into_chunks((rows(t, 6),), None, 3),
    "uneven": lambda t, m: m.split_args_kwargs_into_chunks((rows(t, 7),), {"y": rows(t, 7, 1)}, 3),
    "fewer": lambda t, m: m.split_args_kwargs_into_chunks((rows(t, 2),), {"y": rows(t, 8)}, 4),
    "fewer kwargs": lambda t, m: m.split_args_kwargs_into_chunks((rows(t, 8), 3), {"y": rows(t, 2)}, 4),
    "others": lambda t, m: m.split_args_kwargs_into_chunks((3, "x", None), {"flag": True}, 2),
    "nothing": lambda t, m: m.split_args_kwargs_into_chunks((), {}, 2),
    "nested": lambda t, m: m.split_args_kwargs_into_chunks(([rows(t, 4), {"a": rows(t, 4, 1)}], 1), {}, 2),
    "dims": lambda t, m: m.split_args_kwargs_into_chunks(
        (rows(t, 2, 4), rows(t, 4)), {"z": rows(t, 4)}, 2, m.TensorChunkSpec.from_tuple((1, 0)),
        m.TensorChunkSpec.from_dict({"z": 0})),
    "replicated": lambda t, m: m.split_args_kwargs_into_chunks((rows(t, 3),), {}, 2, (m._Replicate(),)),
    "replicated class": lambda t, m: m.split_args_kwargs_into_chunks((rows(t, 3),), {}, 2, (m._Replicate,)),
    "a spec too few": lambda t, m: m.split_args_kwargs_into_chunks((rows(t, 4), 1), {}, 2, (m.TensorChunkSpec(0),)),
    "a spec of a number": lambda t, m: m.split_args_kwargs_into_chunks((3,), {}, 2, (m.TensorChunkSpec(0),)),
    "no spec": lambda t, m: m.split_args_kwargs_into_chunks((rows(t, 4),), {}, 2, (7,)),
    "target": lambda t, m: list(m._split_tensor(rows(t, 5), m.TensorChunkSpec(0), 2)),
    "short": lambda t, m: m._split_tensor(rows(t, 2), m.TensorChunkSpec(0), 3),
    "texts": lambda t, m: (str(m.TensorChunkSpec(1)), repr(m.TensorChunkSpec(2)).replace("torchlike", "torch")),
    "nested dims": lambda t, m: str(m.TensorChunkSpec.from_tuple((0, (1, 2)))).replace("torchlike", "torch"),
}
MERGES = {
    "tensors": lambda t, m: m.merge_chunks([rows(t, 1), rows(t, 2)], None),
    "tuples": lambda t, m: m.merge_chunks([(rows(t, 1), {"a": rows(t, 2)}), (rows(t, 2), {"a": rows(t, 1)})], None),
    "joined dims": lambda t, m: m.merge_chunks([(rows(t, 1), 5), (rows(t, 1), 5)], (m.TensorChunkSpec(1), None)),
    "sum": lambda t, m: m.merge_chunks([(t.tensor(1.0),), (t.tensor(2.5),)], (m.sum_reducer,)),
    "custom": lambda t, m: m.merge_chunks([(2,), (3,)], (m._CustomReducer(1, lambda a, b: a * b),)),
    "same": lambda t, m: m.merge_chunks([(7,), (7,)], (3,)),
    "not the same": lambda t, m: m.merge_chunks([(7,), (8,)], (3,)),
    "not like the spec": lambda t, m: m.merge_chunks([(7,), (8, 9)], (3,)),
    "numbers": lambda t, m: m.merge_chunks([1, 2], None),
}


@pytest.mark.parametrize("name", [*SPLITS, *MERGES])
def test_as_in_torch(name):
    f = (SPLITS | MERGES)[name]
    expected, found = (told(f, *libraries) for libraries in LIBRARIES)
    if name == "numbers":  # what cat says of no tensor is not compared
        assert expected[0] == found[0] == "TypeError"
        return
    assert found == expected


def test_a_leafs_parts_keep_their_gradients():
    for t, m in LIBRARIES:
        x = rows(t, 4).requires_grad_()
        (first, second), _ = m.split_args_kwargs_into_chunks((x,), {}, 2)
        (first[0].sum() + 3 * second[0].sum()).backward()
        assert first[0].grad.tolist() == [[1.0, 1.0]] * 2
        assert x.grad.tolist() == [[1.0, 1.0]] * 2 + [[3.0, 3.0]] * 2


@pytest.mark.parametrize("batch", [1, 4])
def test_masks(batch):
    found = []
    for t, m in LIBRARIES:
        attention = importlib.import_module(f"{t.__name__}.nn.attention.flex_attention")
        first = t.arange(4)
        mask = attention.create_block_mask(lambda b, h, q, kv, first=first: (q >= kv) & (kv >= 16 * first[b]), batch, 1, 64,
                                           64, device="cpu", BLOCK_SIZE=16)
        parts, _ = m.split_args_kwargs_into_chunks((mask, rows(t, 4)), {}, 2)
        found.append([(part.to_dense().tolist(), attention.create_mask(part.mask_mod, part.shape[0], 1, 64, 64,
                                                                       device="cpu").tolist()) for part, _ in parts])
    assert found[0] == found[1]
