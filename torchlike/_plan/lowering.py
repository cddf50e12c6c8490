"""The programs of a step, lowered for a mesh that is not there: JAX's AbstractMesh, and what is split as it is in a way.

XLA finds the collectives by itself: it is told how parameters, what the optimizer keeps and what is fed in are spread, and
nothing else.
"""

import dataclasses

import jax
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

from torchlike._compile.jax_private import own_work
from torchlike._compile.program import Program, input_avals, slot_avals
from torchlike._compile.splice import splice
from torchlike._plan.facts import Step
from torchlike._plan.mesh import Axis, group_size
from torchlike._plan.programs import GRADIENT, MOMENT, OTHER, PARAMETER, Ran
from torchlike._plan.strategies import Way
from torchlike._plan.tensor_parallel import split

_ALONE = "alone"  # the axis of a mesh of one device


@dataclasses.dataclass
class Placement:
    """How values lie on a mesh.

    Args:
        axes: of the mesh.
        data: the axes along which what is fed in is cut.
        batch: the first size of what is fed in and cut.
        dims: {place of a parameter: {dimension: names of axes}}.
    """

    axes: tuple[Axis, ...]
    data: tuple[Axis, ...]
    batch: int
    dims: dict[int, dict[int, tuple[str, ...]]]

    @property
    def devices(self) -> int:
        """How many devices the mesh has."""
        return group_size(self.axes)

    def spec(self, kind: str, place: int, shape: tuple[int, ...]) -> PartitionSpec:
        """Along which axes an input is cut.

        Args:
            kind, place: what it is, see `Ran`.
            shape: its sizes.
        """
        names: dict[int, tuple[str, ...]] = {}
        if kind in (PARAMETER, MOMENT, GRADIENT):
            names = self.dims.get(place, {})
        elif kind == OTHER and shape and shape[0] == self.batch and self.data:
            names = {0: tuple(axis.name for axis in self.data)}
        return PartitionSpec(*(names.get(i) for i in range(len(shape))))


def placement(step: Step, way: Way, is_global: bool) -> Placement | None:
    """How a way has the values of the programs as they were recorded: for one batch.

    Args:
        step: the step.
        way: the way.
        is_global: whether the batch of the programs is that of all devices: then it is cut. Else each has such a batch, and
            the axes for data, along which nothing is cut, are left out.

    Returns:
        A `Placement`; None where the batch cannot be cut so.
    """
    data = tuple(axis for axis in (*way.copies, *way.shards) if is_global)
    if is_global and (not step.batch or step.batch % way.replicas):
        return None
    tensor = tuple(axis.name for axis in way.tensor)
    dims: dict[int, dict[int, tuple[str, ...]]] = {
        place: {dim: tensor} for place, dim in split(step, group_size(way.tensor)).dims.items()}
    if is_global and way.shards:
        names, n = tuple(axis.name for axis in way.shards), group_size(way.shards)
        for place, p in enumerate(step.parameters):
            free = [i for i, size in enumerate(p.shape) if size % n == 0 and i not in dims.get(place, {})]
            if free:
                dims.setdefault(place, {})[free[0]] = names
    return Placement((*data, *way.tensor), data, step.batch, dims)


def lowered(ran: Ran, placed: Placement) -> str:
    """A program as StableHLO, with shardings.

    Args:
        ran: the program.
        placed: how its values lie.
    """
    recorded = ran.program
    program = Program(recorded.items, recorded.live, recorded.may_donate, recorded.dynamic)
    function, arguments, donated = splice(program)
    names = tuple(axis.name for axis in placed.axes) or (_ALONE,)
    mesh = AbstractMesh(tuple(axis.size for axis in placed.axes) or (1,), names)
    avals = input_avals(recorded.items)
    specs = [placed.spec(kind, place, tuple(aval.shape))
             for aval, (kind, place) in zip(avals, ran.inputs, strict=True)]
    specs = [PartitionSpec()] * (len(arguments) - len(specs)) + specs  # numbers that arrive at run time come first
    placed_arguments = [jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=NamedSharding(mesh, spec))
                        for x, spec in zip(arguments, specs, strict=True)]
    shapes = [tuple(slot_avals(recorded.items)[slot].shape) for slot in recorded.live]
    order = sorted(range(len(shapes)), key=program.places.__getitem__)  # that in which the function returns them
    shardings = tuple(None if ran.results[i][0] == OTHER else NamedSharding(mesh, placed.spec(*ran.results[i], shapes[i]))
                      for i in order)
    with own_work():
        made = jax.jit(function, donate_argnums=donated, out_shardings=shardings).trace(*placed_arguments)
        return made.lower(lowering_platforms=("cpu",)).as_text()
