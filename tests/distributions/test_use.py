"""How programs use distributions: subclasses, copies, training, transforms of functions, `import torch`."""

import copy
import importlib
import pickle
import subprocess
import sys
import types
import warnings

import numpy as np
import pytest
import torch

import torchlike
from compat.compare import PACKAGES
from tests.distributions.cases import CASES
from tests.distributions.side import agree, got
from torchlike._diff.vjp_engine import functional

EACH = pytest.mark.parametrize("library", PACKAGES, ids=["torch", "torchlike"])


def test_public_names():
    """All of torch's, in its modules."""
    theirs, mine = torch.distributions, torchlike.distributions
    assert set(theirs.__all__) == set(mine.__all__)
    assert [name for name in theirs.__all__ if not hasattr(mine, name)] == []
    for m in sorted(name for name, value in vars(theirs).items() if isinstance(value, types.ModuleType)):
        module = importlib.import_module(f"torch.distributions.{m}")
        own = importlib.import_module(f"torchlike.distributions.{m}")
        assert [n for n in getattr(module, "__all__", ()) if not hasattr(own, n)] == []


@pytest.mark.slow
def test_installed():
    """``import torch`` under `install` finds the package and its modules."""
    program = ("import torchlike\ntorchlike.install()\nimport torch\nimport torch.distributions as D\n"
               "from torch.distributions.normal import Normal\nfrom torch.distributions import constraints, transforms, kl\n"
               "from torch.distributions.utils import broadcast_all, lazy_property\n"
               "from torch.distributions.studentT import StudentT\n"
               "assert Normal is D.Normal is torch.distributions.Normal and kl.kl_divergence is D.kl_divergence\n"
               "print(D.Normal(0., 1.))")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "Normal(loc: 0.0, scale: 1.0)\n", done.stderr


@EACH
def test_subclasses(library):
    """A subclass with its own `__init__` must say how it is expanded; one without needs not."""
    D = library.distributions  # noqa: N806

    class Plain(D.Normal):
        pass

    class Own(D.Normal):
        def __init__(self, loc):
            super().__init__(loc, 1.)

    class Expands(Own):
        def expand(self, batch_shape, _instance=None):
            new = self._get_checked_instance(Expands, _instance)
            return super().expand(batch_shape, _instance=new)

    assert type(Plain(0., 1.).expand([3])) is Plain
    with pytest.raises(NotImplementedError, match=r"Subclass Own of Normal that defines a custom __init__ method must also "
                                                  r"define a custom \.expand"):
        Own(0.).expand([3])
    wide = Expands(0.).expand([3])
    assert type(wide) is Expands and wide.batch_shape == (3,) and wide.sample().shape == (3,)


@EACH
def test_a_new_distribution(library):
    """What PyTorch's documentation asks of one's own distribution is enough."""
    D = library.distributions  # noqa: N806

    class Dice(D.Distribution):
        arg_constraints = {"sides": D.constraints.positive_integer}

        def __init__(self, sides, validate_args=None):
            self.sides = sides
            super().__init__(sides.shape, validate_args=validate_args)

        def log_prob(self, value):
            if self._validate_args:
                self._validate_sample(value)
            return -self.sides.log()

    class Undeclared(D.Distribution):
        pass

    dice = Dice(library.tensor([6., 20.]))
    assert repr(dice) == "Dice(sides: torch.Size([2]))" and dice._extended_shape((3,)) == (3, 2)
    with pytest.warns(UserWarning, match="does not define `support` to enable sample validation"):
        dice.log_prob(library.tensor([1., 2.]))
    with pytest.raises(ValueError, match=r"Expected parameter sides \(Tensor of shape \(1,\)\)"):
        Dice(library.tensor([.5]))
    with pytest.raises(NotImplementedError):
        dice.expand([3, 2])
    with pytest.warns(UserWarning, match="does not define `arg_constraints`"):
        Undeclared()


@EACH
def test_default_of_checks(library):
    D = library.distributions  # noqa: N806
    try:
        D.Distribution.set_default_validate_args(False)
        D.Normal(0., -1.)
        with pytest.raises(ValueError, match="to satisfy the constraint GreaterThan"):
            D.Normal(0., -1., validate_args=True)
    finally:
        D.Distribution.set_default_validate_args(True)
    with pytest.raises(ValueError, match="Expected parameter scale"):
        D.Normal(0., -1.)


@pytest.mark.parametrize("name", ["Normal", "Bernoulli-logits", "Gumbel", "MultivariateNormal-precision", "Independent",
                                  "MixtureSameFamily", "Beta", "LKJCholesky"])
def test_copies(name):
    """Pickled and copied ones are the same; torch cannot use a copied inverse transform, torchlike can."""
    def check(side):
        expression, value = CASES[name]
        distribution = side.evaluate(expression)
        value = side.library.tensor(side.evaluate(value), dtype=side.dtype)
        copies = copy.deepcopy(distribution), pickle.loads(pickle.dumps(distribution))
        return [[repr(c), c.log_prob(value), c.batch_shape] for c in copies]

    agree(check)


def test_copied_inverse():
    """torch forgets what the inverse is of."""
    for library in PACKAGES:
        gumbel = pickle.loads(pickle.dumps(library.distributions.Gumbel(0., 1.)))
        found = got(gumbel.sample)
        assert found.kind == "AssertionError" if library is torch else found.shape == ()


@EACH
def test_lazy(library):
    """The other one of probs and logits is made once, with gradients even under no_grad."""
    logits = library.tensor([.3, -1.], requires_grad=True)
    distribution = library.distributions.Bernoulli(logits=logits)
    assert "probs" not in distribution.__dict__
    with library.no_grad():
        probs = distribution.probs
    assert probs.requires_grad and distribution.probs is probs and "probs" in distribution.__dict__
    assert distribution.logits is logits and distribution._param is logits


def test_training():
    """A variational fit: samples with gradients, a divergence, Adam; step by step as under torch."""
    def check(side):
        library = side.library
        loc, raw = side.t([0., 0.]), side.t([0., 0.])
        optimizer = library.optim.Adam([loc, raw], lr=.1)
        D, data = library.distributions, library.tensor([1., -2.], dtype=side.dtype)  # noqa: N806
        losses = []
        for _ in range(5):
            scale = D.transform_to(D.Normal.arg_constraints["scale"])(raw)
            q, prior = D.Normal(loc, scale), D.Normal(library.zeros_like(loc), 1.)
            z = q.rsample((8,))
            loss = D.kl_divergence(q, prior).sum() - D.Normal(z, .5).log_prob(data).mean(0).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        return [losses, loc, raw]

    agree(check)


def test_reinforce():
    """log_prob of samples as a loss, with the gradient of logits."""
    def check(side):
        logits = side.t([[.1, .2, .3], [1., -1., 0.]])
        policy = side.library.distributions.Categorical(logits=logits)
        actions = policy.sample()
        loss = -(policy.log_prob(actions) * side.library.tensor([1., -2.], dtype=side.dtype)).sum() - policy.entropy().sum()
        return [actions, *side.grads(loss)]

    agree(check)


@pytest.mark.slow
def test_func():
    """Derivatives and batches of functions that make distributions."""
    def check(side):
        library = side.library
        D, func = library.distributions, library.func  # noqa: N806
        x = library.tensor([.5, 2.], dtype=side.dtype)

        def density(a):
            return D.Gamma(a, 2., validate_args=False).log_prob(x).sum()

        a = library.tensor([1., 3.], dtype=side.dtype)
        batch = func.vmap(lambda a, v: D.Normal(a, 1., validate_args=False).log_prob(v))(a, x)
        return [func.grad(density)(a), batch]

    agree(check, rtol=1e-7)


@pytest.mark.slow
def test_second_derivatives():
    def check(side):
        library = side.library
        a, x = (library.tensor(v, dtype=side.dtype) for v in ([1., 3.], [.5, 2.]))
        gamma = library.distributions.Gamma
        return library.func.hessian(lambda a: gamma(a, 2., validate_args=False).log_prob(x).sum())(a)

    agree(check, rtol=1e-7)


def test_forward_mode():
    forward_ad = torchlike.autograd.forward_ad
    with forward_ad.dual_level():
        loc = forward_ad.make_dual(torchlike.tensor([0., 1.]), torchlike.tensor([1., 2.]))
        density = torchlike.distributions.Normal(loc, 2.).log_prob(torchlike.tensor([1., 1.]))
        np.testing.assert_allclose(forward_ad.unpack_dual(density).tangent.numpy(), [.25, 0.], atol=1e-7)


def test_new():
    """`Tensor.new`, which distributions offer as ``_new``."""
    def check(side):
        x, size = side.library.ones(2, dtype=side.dtype), side.library.Size
        made = x.new(2, 3), x.new(size((2,))), x.new(), x.new((2,)), x.new([1, 2]), x.new(x)
        return [[m.shape, m.dtype] for m in made] + [made[3], made[4], made[5]]

    agree(check)


@pytest.mark.slow
def test_engines():
    """The tape and the functional engine give one gradient."""
    from_tape = _pathwise()
    with functional():
        assert torchlike.allclose(_pathwise().clone(), from_tape)


def _pathwise():
    torchlike.manual_seed(0)
    leaf = torchlike.tensor([.5, 2., 3.], requires_grad=True)
    D = torchlike.distributions  # noqa: N806
    samples = D.Gamma(leaf, 2.).rsample((4,)) + D.Dirichlet(leaf).rsample((4,)) + D.StudentT(leaf).rsample((4,))
    D.Normal(samples, 1.).log_prob(torchlike.ones(3)).sum().backward()
    return leaf.grad


def test_no_warnings():
    """Nothing warns that does not warn in torch."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        distribution = torchlike.distributions.Dirichlet(torchlike.ones(3))
        distribution.log_prob(distribution.sample((2,)))
        distribution.entropy()
