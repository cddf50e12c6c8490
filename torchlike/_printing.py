"""Stand-in until the printing module lands."""


def tensor_str(array, *, dtype_name, default_dtype_name, suffixes, prefix="tensor(", indent=0):
    return prefix + ", ".join([repr(array.tolist()), *suffixes]) + ")"


def set_printoptions(**options):
    pass
