"""The equations of a JAX program: their values, their lines, and the gradients of the values."""
