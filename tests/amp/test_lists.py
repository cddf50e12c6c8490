"""The cast lists are those of the installed PyTorch."""

import pytest
import torch

import torchlike
from torchlike._trace import autocast_lists, casting

KEYS = {"cpu": "AutocastCPU", "cuda": "AutocastCUDA"}


def of_torch(key) -> set:
    """The operators that have a kernel for this dispatch key."""
    names = [name for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::")]
    return {name.removeprefix("aten::") for name in names if torch._C._dispatch_has_kernel_for_dispatch_key(name, key)}


def of_table(policies) -> list:
    return [name for names in policies.values() for name in names.split()]


@pytest.mark.parametrize("kind", KEYS)
def test_names(kind):
    found = of_table(autocast_lists.POLICIES[kind])
    assert len(found) == len(set(found))
    assert set(found) == of_torch(KEYS[kind])


@pytest.mark.parametrize("change", [
    lambda table: {**table, "fp32": table["fp32"] + " relu"},
    lambda table: {**table, "promote": table["promote"].replace("cat", "")},
], ids=["more", "less"])
def test_planted_difference_is_seen(change):
    assert set(of_table(change(autocast_lists.POLICIES["cpu"]))) != of_torch(KEYS["cpu"])


@pytest.mark.parametrize("kind", KEYS)
def test_one_policy_whatever_the_overload(kind):
    by_packet: dict = {}
    for policy, names in autocast_lists.POLICIES[kind].items():
        for name in names.split():
            by_packet.setdefault(name.partition(".")[0], set()).add(policy)
    assert [name for name, policies in by_packet.items() if len(policies) > 1] == []


def test_cuda_policies_decide_by_device():
    """Without a GPU the operators stay as they are, and a table entry is found for a tensor of its device only."""
    casting.enable({"cuda"})
    try:
        assert torchlike.ones(2, 2).mm(torchlike.ones(2, 2)).dtype is torchlike.float32
        assert casting.policy_of("exp", [torchlike.ones(2)]) == (None, None)
        on_meta = torchlike.empty(2, device="meta")
        assert casting.policy_of("mm", [on_meta]) == (None, None)
    finally:
        casting.enable(())
