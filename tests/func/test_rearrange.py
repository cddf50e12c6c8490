"""`torch.func.rearrange`, compared with PyTorch's."""

import pytest
import torch

import torchlike
from compat.compare import check, clean
from compat.compare.tolerances import EXACT

# pattern, shape, lengths
PATTERNS = [
    ("a b -> b a", (2, 3), {}), ("a b -> (a b)", (2, 3), {}), ("a b -> (b a)", (2, 3), {}),
    ("a (b c) -> a b c", (2, 6), {"b": 3}), ("a (b c) -> c (a b)", (2, 6), {"c": 3}),
    ("(a b) (c d) -> (a c) (d b)", (4, 6), {"a": 2, "d": 3}), ("... b -> b ...", (2, 3, 4), {}),
    ("a ... b -> (a b) ...", (2, 3, 4), {}), ("... -> (...)", (2, 3), {}), ("a ... -> (... a)", (2, 3, 4), {}),
    ("a b -> a b 1", (2, 3), {}), ("a b -> () b 1 a", (2, 3), {}), ("1 a -> a", (1, 3), {}), ("1 a -> a", (2, 3), {}),
    ("a () b -> a b", (2, 1, 3), {}), ("a (b 1) -> b a", (2, 3), {}), ("->", (), {}), ("... -> ...", (2, 3), {}),
    ("...->1 ...", (), {}), ("(a b) c -> a b c", (0, 2), {"a": 2}), ("A_1 b2->b2 A_1", (2, 3), {}),
    ("  a   b->b a ", (2, 3), {}), ("b (h w) c -> b c h w", (2, 6, 3), {"h": 2}), ("a b -> b a", (2, 3), {"a": 2}),
    ("... (a b) -> ... b a", (2, 6), {"a": 3}),
    # errors
    ("a b -> a", (2, 3), {}), ("a b", (2, 3), {}), ("a -> b -> a", (2, 3), {}), ("", (2,), {}),
    ("(a b) c -> a b c", (2, 3), {}), ("a (b c) -> a b c", (2, 3), {}), ("a b -> a (b", (2, 3), {}),
    ("a b -> a b)", (2, 3), {}), ("a a -> a", (2, 2), {}), ("a b -> a a", (2, 2), {}), ("a b -> b a", (2, 3), {"q": 1}),
    ("a (b c) -> a b c", (2, 3), {"b": 2}), ("a b -> 2 a b", (2, 3), {}), ("a b c -> a b c", (2, 3), {}),
    ("a ((b c)) -> a b c", (2, 3), {}), ("a b -> ... a b", (2, 3), {}), ("a b -> b a", (2, 3), {"a": 3}),
    ("_ b -> b _", (2, 3), {}), ("a- b -> b", (2, 3), {}), ("(...) a -> a", (2, 3), {}), ("a (... b) -> a b", (2, 3), {}),
    ("_a b -> b", (2, 3), {}), ("b_ -> b_", (2,), {}), ("a. b->b", (2, 3), {}), ("... ... -> ...", (2, 3), {}),
    (".... -> ...", (2, 3), {}), ("a b c ... -> a", (2, 3), {}), ("a b c ... -> a b c ...", (2, 3), {}),
    ("1a -> 1a", (2,), {}), ("a b -> b a", (2, 3), {"a": "x"}), ("a b -> b a", (2, 3), {"a": True}),
    ("for b -> b for", (2, 3), {}), ("axis b -> b axis", (2, 3), {}), ("(a b) c ... -> a b c ...", (4, 3), {"a": 2}),
    ("(a b c) ... -> a b c ...", (4, 3), {"a": 2}), ("(a 2) -> a", (4,), {}),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", PATTERNS, ids=str)
def test_patterns(case):
    pattern, shape, lengths = case

    def outcome(lib):
        x = lib.arange(lib.ones(shape).numel()).reshape(shape).float()
        return lib.func.rearrange(x, pattern, **lengths)

    alone = pattern in ("a b -> a", "a b -> a a", "a- b -> b", "_a b -> b", "a b c ... -> a")
    if not alone:
        check(outcome, tolerance=EXACT)
        return
    errors = []
    for lib in (torch, torchlike):  # what sets print in another order from run to run
        with pytest.raises(ValueError, match=" ") as caught:
            outcome(lib)
        errors.append("".join(sorted(clean(str(caught.value)))))
    assert errors[0] == errors[1]


def test_keywords_warn():
    for name, kind in (("for", RuntimeWarning), ("axis", FutureWarning)):
        for lib in (torch, torchlike):
            with pytest.warns(kind, match="It is discouraged to use"):
                lib.func.rearrange(lib.ones(2, 3), f"{name} b -> b {name}" + " " * (lib is torch))


def test_lists_gradients_and_views():
    def outcomes(lib):
        x = lib.arange(6.0).reshape(2, 3).requires_grad_()
        y = lib.func.rearrange(x, "a b -> (b a)")
        (y * lib.arange(6.0)).sum().backward()
        viewed = lib.func.rearrange(z := lib.zeros(2, 3), "a b -> b a")
        viewed[0, 0] = 5
        return (x.grad, lib.func.rearrange([x[0], x[1]], "n a -> a n").detach(), z, viewed.stride(),
                lib.func.rearrange((lib.ones(2, 3), lib.zeros(2, 3)), "n a b -> a (n b)"), str(lib.func.rearrange(
                    lib.ones(1, 2, dtype=lib.bool), "1 a -> a").dtype).rpartition(".")[2])

    check(outcomes, tolerance=EXACT)


@pytest.mark.parametrize("given", [3, []], ids=str)
def test_wrong_tensors(given):
    kinds = []
    for lib in (torch, torchlike):
        with pytest.raises((TypeError, RuntimeError)) as caught:
            lib.func.rearrange(given, "a -> a")
        kinds.append((caught.type, str(caught.value)))
    assert kinds[0] == kinds[1]


def test_in_a_vmap():
    check(lambda lib: lib.func.vmap(lambda x: lib.func.rearrange(x, "(a b) c -> c a b", a=2))(
        lib.arange(24.0).reshape(2, 4, 3)), tolerance=EXACT)
