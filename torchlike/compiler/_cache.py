"""Compiled programs in one piece, to be carried to the cache of another machine.
https://pytorch.org/docs/stable/torch.compiler_caching_tutorial.html"""

import collections
import dataclasses
import logging

from torchlike._compile import disk_cache

_log = logging.getLogger("torchlike")
_KIND = "xla"  # of torchlike's files, beside PyTorch's kinds


def _of_kind(kind: str, what: str):
    def names(self) -> list[str]:
        return self.artifacts[kind]

    names.__doc__ = f"The names of {what}."
    return property(names)


@dataclasses.dataclass
class CacheInfo:
    """What a piece holds: names by kind. What torchlike packs is of the kind "xla"; the others are PyTorch's.
    https://pytorch.org/docs/stable/generated/torch.compiler.load_cache_artifacts.html

    Args:
        artifacts: {kind: names}.
    """

    artifacts: collections.defaultdict[str, list[str]] = dataclasses.field(
        default_factory=lambda: collections.defaultdict(list))

    inductor_artifacts = _of_kind("inductor", "Inductor's kernels")
    autotune_artifacts = _of_kind("autotune", "what was measured")
    aot_autograd_artifacts = _of_kind("aot_autograd", "graphs")
    pgo_artifacts = _of_kind("pgo", "profiles")
    precompile_artifacts = _of_kind("precompile", "functions that were compiled ahead of time")

    def add(self, artifact) -> None:
        """Notes one more.

        Args:
            artifact: an object with a method ``type`` and an attribute ``key``.
        """
        self.artifacts[artifact.type()].append(artifact.key)

    def clear(self) -> None:
        """Forgets all."""
        self.artifacts.clear()

    def empty(self) -> bool:
        """Whether no kind has been noted, or asked for."""
        return not self.artifacts


def _info(names: list[str]) -> CacheInfo:
    return CacheInfo(collections.defaultdict(list, {_KIND: names}))


def save_cache_artifacts() -> tuple[bytes, CacheInfo] | None:
    """What this process has compiled, or read from the cache (the setting ``cache``), in one piece.
    https://pytorch.org/docs/stable/generated/torch.compiler.save_cache_artifacts.html

    Returns:
        (bytes, `CacheInfo`); None if there is nothing.
    """
    packed = disk_cache.pack()
    return None if packed is None else (packed[0], _info(packed[1]))


def load_cache_artifacts(serialized_artifacts: bytes) -> CacheInfo | None:
    """Puts what `save_cache_artifacts` gave into the cache of this process and later ones. It is used where version,
    settings and processor are the same. Running it means running its code, so take none of strangers.
    https://pytorch.org/docs/stable/generated/torch.compiler.load_cache_artifacts.html

    Args:
        serialized_artifacts: the bytes.

    Returns:
        a `CacheInfo`; None, and a line in the log "torchlike", for what is damaged or something else.
    """
    try:
        return _info(disk_cache.unpack(serialized_artifacts))
    except (TypeError, ValueError) as error:
        _log.warning("torch.compiler.load_cache_artifacts: %s", error)
        return None
