"""The stages of a pipeline: which part of a step each of them has.

Blocks go to stages in their order, as equal in number as can be; what is in no block counts to each stage, as if it were the
one that has it. With one forward and one backward pass in turn a stage keeps the activations of as many microbatches as
there are stages, at most; in (p - 1) of m + p - 1 turns it waits.
"""

import dataclasses
import itertools

from torchlike._plan.facts import ROOT, Step
from torchlike._plan.mesh import MeshError


@dataclasses.dataclass(frozen=True)
class Stages:
    """A pipeline.

    Args:
        count: of the stages.
        microbatches: into how many parts a batch is divided.
        groups: the blocks of each stage.
    """

    count: int
    microbatches: int
    groups: tuple[tuple[str, ...], ...]

    @property
    def bubble(self) -> float:
        """The share of the time in which a stage waits."""
        return (self.count - 1) / (self.microbatches + self.count - 1)

    @property
    def held(self) -> float:
        """The share of a batch whose activations a stage keeps at once."""
        return min(self.count, self.microbatches) / self.microbatches

    def largest(self, by_unit: dict[str, float]) -> float:
        """What the stage has that has the most.

        Args:
            by_unit: {block: how much}; that of ROOT counts to each stage.
        """
        return by_unit.get(ROOT, 0) + max(sum(by_unit.get(unit, 0) for unit in group) for group in self.groups)


def stages(step: Step, count: int, microbatches: int) -> Stages:
    """The stages of a step.

    Args:
        step: the step.
        count: how many there are.
        microbatches: into how many parts a batch is divided.

    Raises:
        MeshError: there are fewer blocks than stages, or a batch has less than the microbatches need.
    """
    units = step.units
    if count == 1:
        return Stages(1, 1, (tuple(units),))
    if len(units) < count:
        raise MeshError(f"a pipeline of {count} stages needs as many blocks, and the model has {len(units)}: what a "
                        "ModuleList or a Sequential consists of")
    if 0 < step.batch < microbatches:
        raise MeshError(f"a batch of {step.batch} cannot be divided into {microbatches} microbatches: see --microbatches")
    ends = [round(len(units) * i / count) for i in range(count + 1)]
    return Stages(count, microbatches, tuple(tuple(units[a:b]) for a, b in itertools.pairwise(ends)))
