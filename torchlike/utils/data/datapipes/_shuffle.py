"""What pipes in a random order share: whether they shuffle, and their seed."""

import random

from torchlike.utils.data.sampler import new_seed


class _Shuffle:
    """A base class beside IterDataPipe."""

    _enabled: bool
    _seed: int | None
    _rng: random.Random

    def _start(self) -> None:
        self._enabled, self._seed, self._rng = True, None, random.Random()

    def set_shuffle(self, shuffle=True):
        """Switch the random order on or off.

        Args:
            shuffle: which.

        Returns: this pipe.
        """
        self._enabled = shuffle
        return self

    def set_seed(self, seed: int):
        """Set the seed of the next pass; later ones draw theirs from the default generator.

        Args:
            seed: the number.

        Returns: this pipe.
        """
        self._seed = seed
        return self

    def _drawn_seed(self) -> int:
        """The seed of this pass."""
        return new_seed() if self._seed is None else self._seed

    def _set_random_state(self, state) -> None:
        self._rng = random.Random()
        self._rng.setstate(state)
