"""How numbers drawn on the host move with the parameters that they were drawn by: the gradients of samplers.

Gamma and Dirichlet numbers have pathwise gradients, implicit ones: with the uniform number cdf(x; a) fixed, dx/da is
-(d cdf/da) / pdf (Figurnov, Mohamed and Mnih 2018). PyTorch approximates them to about 1e-3; these have nearly all
digits. Their derivatives are not implemented, as in PyTorch.
"""

import functools

import jax
import jax.numpy as jnp

_ROUNDS = 10_000  # of the continued fraction; it needs about the square root of the larger parameter
_ROUNDING = 1e-15  # smaller changes do not last: the last bits oscillate


def _once(name):
    """Decorates a kernel whose own derivative raises what PyTorch raises."""
    def decorate(kernel):
        function = functools.wraps(kernel)(jax.custom_jvp(kernel))

        @function.defjvp
        def _refuse(primals, tangents):
            raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

        return function

    return decorate


# -- gamma

@_once("_standard_gamma_grad")
def gamma_slope(alpha, x):
    """dx/d(alpha) of a standard gamma number x."""
    return jax.lax.random_gamma_grad(alpha, x)


# -- Beta and Dirichlet

def _fraction(a, b, x):
    """F(a, b, x) of the incomplete beta function I = x**a (1 - x)**b F / (a B(a, b)), by Lentz's method.

    It converges fast for x < (a + 1) / (a + b + 2). https://dlmf.nist.gov/8.17#v
    """
    tiny = 1e-300

    def step(carry):
        m, c, d, value, _ = carry
        before = value
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            c, d = 1 + term / c, 1 / (1 + term * d)
            c = jnp.where(c == 0, tiny, c)
            value = value * c * d
        return m + 1, c, d, value, jnp.abs(value - before)

    def go_on(carry):
        m, _, _, value, change = carry
        return (m < _ROUNDS) & jnp.any(change > _ROUNDING * jnp.abs(value))

    d = 1 / (1 - (a + b) * x / (a + 1))
    carry = step((jnp.ones((), x.dtype), jnp.ones_like(x), d, d, d))
    return jax.lax.while_loop(go_on, step, carry)[3]


@_once("_dirichlet_grad")
def beta_slope(x, alpha, total):
    """dx/d(alpha) / (1 - x) of a number x of Beta(alpha, total - alpha), whose second parameter is fixed."""
    kind = x.dtype
    x, a, total = (v.astype(jnp.float64) for v in (x, alpha, total))
    b = total - a
    low = x < (a + 1) / (total + 2)
    first, second, at = jnp.where(low, a, b), jnp.where(low, b, a), jnp.where(low, x, 1 - x)
    ones, none = jnp.ones_like(x), jnp.zeros_like(x)
    value, slope = jax.jvp(_fraction, (first, second, at), (jnp.where(low, ones, none), jnp.where(low, none, ones), none))
    log_slope = jnp.log(x) - jax.lax.digamma(a) + jax.lax.digamma(total)
    below = -x / a * (value * (log_slope - 1 / a) + slope)
    return jnp.where(low, below, x / b * (value * log_slope + slope)).astype(kind)


def dirichlet_slope(g, self, result):
    """The gradient of the parameters `self` of Dirichlet numbers `result`."""
    total = jnp.broadcast_to(self.sum(-1, keepdims=True), self.shape)
    return beta_slope(result, self, total) * (g - (result * g).sum(-1, keepdims=True))


def dirichlet_tangent(alpha, x, moved):
    """The transpose of `dirichlet_slope`."""
    moved = moved * beta_slope(x, alpha, jnp.broadcast_to(alpha.sum(-1, keepdims=True), alpha.shape))
    return moved - x * moved.sum(-1, keepdims=True)
