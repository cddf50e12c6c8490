"""Paths of files."""

from collections.abc import Iterator, Sequence

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import IterDataPipe
from torchlike.utils.data.datapipes.iter.utils import IterableWrapperIterDataPipe
from torchlike.utils.data.datapipes.utils.common import _no_length, get_file_pathnames_from_root

__all__ = ["FileListerIterDataPipe"]


@functional_datapipe("list_files")
class FileListerIterDataPipe(IterDataPipe[str]):
    """The paths of the files in folders (``list_files``).

    Args:
        root: a folder, several, or a pipe of them.
        masks, recursive, abspath, non_deterministic: as for `get_file_pathnames_from_root`.
        length: what ``len`` says; -1 means that nobody knows.
    """

    def __init__(self, root: str | Sequence[str] | IterDataPipe = ".", masks: str | list[str] = "", *,
                 recursive: bool = False, abspath: bool = False, non_deterministic: bool = False, length: int = -1):
        super().__init__()
        if isinstance(root, str):
            root = [root]
        self.datapipe = root if isinstance(root, IterDataPipe) else IterableWrapperIterDataPipe(root)
        self.masks = masks
        self.recursive = recursive
        self.abspath = abspath
        self.non_deterministic = non_deterministic
        self.length = length

    def __iter__(self) -> Iterator[str]:
        for path in self.datapipe:
            yield from get_file_pathnames_from_root(path, self.masks, self.recursive, self.abspath, self.non_deterministic)

    def __len__(self) -> int:
        if self.length == -1:
            raise _no_length(self)
        return self.length
