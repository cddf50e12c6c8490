"""Whether there is Triton: there is none."""


def has_triton() -> bool:
    """False: XLA compiles, and no kernel of Triton's is run."""
    return False


has_triton_package = has_triton
