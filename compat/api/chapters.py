"""Which chapter of PyTorch's documentation a row is in: the modules that the command writes are named by it."""

CHAPTERS = {
    "creation": "Creating tensors", "indexing_joining": "Indexing, slicing, joining, views",
    "random_sampling": "Random sampling", "pointwise": "Pointwise operations", "reduction": "Reductions",
    "comparison": "Comparisons and sorting", "spectral": "Spectral operations", "other": "Other operations",
    "blas_lapack": "BLAS and LAPACK operations", "linalg": "torch.linalg", "special": "torch.special", "fft": "torch.fft",
    "nn_functional": "Operators of torch.nn.functional",
}
# By how a name begins, or by the folder or the file of the row in torchlike/_ops; else the folder is the chapter.
_OF_PREFIX = {"linalg_": "linalg", "special_": "special", "fft_": "fft"}
_OF_FILE = {
    "comparison": "comparison", "sorting": "comparison", "searching": "other", "triangles": "other", "cumulative": "other",
    "core": "creation", "index_bounds": "other", "frames": "spectral", "sample_slopes": "random_sampling",
}
_OF_FOLDER = {"indexing": "indexing_joining", "linalg": "blas_lapack", "nn": "nn_functional", "special": "pointwise"}


def chapter(row) -> str:
    """The chapter of a row."""
    *_, folder, file = row.home.split(".")
    by_prefix = next((found for prefix, found in _OF_PREFIX.items() if row.face.startswith(prefix)), None)
    return by_prefix or _OF_FILE.get(file) or _OF_FOLDER.get(folder) or (file if folder == "_ops" else folder)
