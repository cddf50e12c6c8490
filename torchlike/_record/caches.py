"""What all threads share: the prefix tree, and the programs that were compiled for its nodes. Bounded."""

from torchlike._base import config
from torchlike._compile import kernels
from torchlike._compile import program as programs
from torchlike._record import tree


class Caches:
    """``root``: of the prefix tree. ``kept``: the tree nodes with programs, the oldest first. ``generation``: that of the
    kernels which both hold."""

    def __init__(self):
        self.root = tree.new_root()
        self.kept: list[tree.TreeNode] = []
        self.programs = 0
        self.generation = kernels.cache.generation

    def new_program(self, node: tree.TreeNode, key: tuple, dynamic: tuple) -> programs.Program:
        """A Program of the trace that ends at `node`, kept under `key`: (live slots, donated inputs)."""
        if node.programs.get(key) is None:
            self.programs += 1
            if self.programs > config.settings.max_programs:
                self._forget_half()
        program = node.programs[key] = programs.Program(node.path(), key[0], key[1], dynamic)
        self.kept.append(node)
        return program

    def _forget_half(self) -> None:
        half = len(self.kept) // 2
        for node in self.kept[:half]:
            node.programs.clear()
        del self.kept[:half]
        self.programs = len(self.kept)

    def trim(self) -> None:
        """Keep the bounds: after each run."""
        tree.bound(self.root)
        if kernels.cache.generation != self.generation:
            self.clear()

    def clear(self) -> None:
        """The tree and all programs go: they hold kernels that the kernels' cache may have given up."""
        self.generation = kernels.cache.generation
        for node in self.kept:
            node.programs.clear()
        self.kept.clear()
        self.programs = 0
        tree.drop(self.root)


caches = Caches()
