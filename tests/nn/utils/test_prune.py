"""`nn.utils.prune` against torch's: masks, names, values, gradients, errors."""

import pytest

from tests.nn import lines

_START = ("import importlib\nR = importlib.import_module(nn.__name__ + '.utils.prune')\nm = nn.Linear(4, 3)\n"
          "def all_of(m): return list(m.state_dict()), [n for n, _ in m.named_parameters()], m.weight, m.weight_mask\n")

PROGRAMS = [
    "R.l1_unstructured(m, 'weight', 5)\no = m(x(2, 4))\no.sum().backward()\nall_of(m), o, m.weight_orig.grad, m",
    "R.l1_unstructured(m, 'weight', 5)\nR.ln_structured(m, 'weight', 1, n=2, dim=0)\na = all_of(m)\nh = "
    "next(iter(m._forward_pre_hooks.values()))\nR.remove(m, 'weight')\na, len(h), h._tensor_name, list(m.state_dict()), m.weight",
    "R.l1_unstructured(m, 'weight', 1)\nR.l1_unstructured(m, 'weight', .5)\nR.random_unstructured(m, 'weight', 2)\nall_of(m)",
    "R.random_unstructured(m, 'weight', .5)\nall_of(m)", "R.random_structured(m, 'weight', 2, 1)\nall_of(m)",
    "R.random_structured(m, 'weight', .4, 0)\nall_of(m)", "R.ln_structured(m, 'weight', .5, n=float('-inf'), dim=1)\nall_of(m)",
    "R.ln_structured(m, 'weight', 1, n=1, dim=-1)\nR.random_structured(m, 'weight', 1, 0)\nall_of(m)",
    "R.identity(m, 'weight')\nall_of(m), R.is_pruned(m), R.is_pruned(nn.Sequential(m)), R.is_pruned(nn.Linear(1, 1))",
    "R.custom_from_mask(m, 'bias', torch.tensor([0, 1, 1])).bias",
    "k = nn.Linear(3, 2)\nR.global_unstructured([(m, 'weight'), (k, 'weight')], R.L1Unstructured, amount=.5)\nall_of(m), all_of(k)",
    "R.global_unstructured([(m, 'weight')], R.RandomStructured, amount=.5)", "R.global_unstructured(3, R.L1Unstructured, amount=.5)",
    "R.l1_unstructured(m, 'weight', 1, importance_scores=torch.ones(3))",
    "R.l1_unstructured(m, 'weight', 2, importance_scores=torch.arange(12.).view(3, 4))\nall_of(m)",
    "R.L1Unstructured(2).prune(torch.tensor([1., -3, 2])), R.L1Unstructured(1).prune(torch.arange(3.), torch.tensor([0, 1, 1]))",
    "R.remove(m, 'weight')", *(f"R.l1_unstructured(m, 'weight', {amount})" for amount in ("1.5", "100", "-1", "'a'", "0", "1.0")),
    "R.ln_structured(m, 'bias', 1, 2, 0)", "R.ln_structured(m, 'weight', 1, 2, 5)", "R.random_structured(m, 'bias', 1, 0)",
    "R.l1_unstructured(m, 'w', 1)", "R.PruningContainer().add_pruning_method(3)",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_torch(program):
    lines.same(_START + program)
