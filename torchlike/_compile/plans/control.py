"""Loops and branches: each body is a plan of its own.

Results are copied: what a plan returns may be its arguments or its constants, and a rule's results are new.
"""

import numpy as np

from torchlike._compile.jax_private import scan_counts
from torchlike._compile.plans.table import Equation, Fresh, rule

# Numpy calls of a scan, each about 1.5 us: one of more is compiled, which costs what 50 runs of so many calls do.
_CALLS = 1 << 12


def _fresh(results, equation):
    """New arrays: a tuple, or the one that there is."""
    found = tuple(np.array(x, form.dtype) for x, form in zip(results, equation.outs, strict=True))
    return found if len(found) != 1 else found[0]


@rule("cond")
def _cond(equation: Equation):
    branches = [equation.plan(branch) for branch in equation.params["branches"]]
    last = len(branches) - 1

    def choose(index, *operands):
        return _fresh(branches[min(max(int(index), 0), last)](*operands), equation)

    return Fresh(choose)


@rule("while")
def _while(equation):
    p = equation.params
    of_test, of_body = p["cond_nconsts"], p["body_nconsts"]
    test, body = equation.plan(p["cond_jaxpr"]), equation.plan(p["body_jaxpr"])

    def loop(*operands):
        test_consts, rest = operands[:of_test], operands[of_test:]
        body_consts, carry = rest[:of_body], rest[of_body:]
        while test(*test_consts, *carry)[0]:
            carry = body(*body_consts, *carry)
        return _fresh(carry, equation)

    def loops(*operands):
        """Several at once, of `vmap`: those that have ended stay as they are."""
        test_consts, rest = operands[:of_test], operands[of_test:]
        body_consts, carry = rest[:of_body], rest[of_body:]
        while (going := test(*test_consts, *carry)[0]).any():
            new = body(*body_consts, *carry)
            carry = [np.where(going.reshape(going.shape + (1,) * (np.ndim(x) - going.ndim)), x, old)
                     for x, old in zip(new, carry, strict=True)]
        return _fresh(carry, equation)

    return Fresh(loops if p["cond_jaxpr"].out_avals[0].shape else loop)


@rule("scan")
def _scan(equation):
    p = equation.params
    (consts, carried), length = scan_counts(p), p["length"]
    body = equation.plan(p["jaxpr"])
    if length * len(body.operations) > _CALLS:
        raise equation.declined("many steps")
    order = range(length - 1, -1, -1) if p["reverse"] else range(length)
    states, stacks = equation.outs[:carried], equation.outs[carried:]

    def loop(*operands):
        fixed, rest = operands[:consts], operands[consts:]
        carry, slices = rest[:carried], rest[carried:]
        stacked = [np.empty(form.shape, form.dtype) for form in stacks]
        for i in order:
            found = body(*fixed, *carry, *[x[i] for x in slices])
            carry = found[:carried]
            for stack, value in zip(stacked, found[carried:], strict=True):
                stack[i] = value
        found = (*(np.array(x, form.dtype) for x, form in zip(carry, states, strict=True)), *stacked)
        return found if len(found) != 1 else found[0]

    return Fresh(loop)
