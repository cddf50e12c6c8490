"""torch.autograd.functional: products, Jacobians, Hessians; vectorized ones and batched gradients."""

from tests.programs import same_as_torch

test_programs = same_as_torch("batched", "functional")
