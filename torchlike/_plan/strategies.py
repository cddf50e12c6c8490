"""What each way to spread a step over a mesh keeps, computes and sends, on the device that has the most."""

import collections
import dataclasses
import math

from torchlike._plan.collectives import ALL_GATHER, ALL_REDUCE, BROADCAST, REDUCE_SCATTER, SEND, Collective
from torchlike._plan.devices import Device
from torchlike._plan.facts import ROOT, Parameter, Step
from torchlike._plan.mesh import DATA, PIPE, TENSOR, Axis, Mesh, bandwidth, group_size
from torchlike._plan.pipeline import Stages, stages
from torchlike._plan.tensor_parallel import Split, split
from torchlike.nn.parallel.buckets import CAP, FIRST, buckets_of


@dataclasses.dataclass(frozen=True)
class Way:
    """A way to spread a step.

    Args:
        name: as it is told.
        copies: the axes along which parameters are the same and data are not.
        shards: the axes along which data differ and parameters are cut, as by `fully_shard`.
        tensor: the axes along which layers are split.
    """

    name: str
    copies: tuple[Axis, ...] = ()
    shards: tuple[Axis, ...] = ()
    tensor: tuple[Axis, ...] = ()

    @property
    def replicas(self) -> int:
        """How many devices have data of their own."""
        return group_size(self.copies) * group_size(self.shards)


def ways(mesh: Mesh) -> list[Way]:
    """The ways for a mesh: DDP and FSDP over all devices of a stage, layers split over the axis for that, and HSDP where two
    axes are for data.

    Args:
        mesh: the mesh.
    """
    data, tensor = mesh.of(DATA), mesh.of(TENSOR)
    every = tuple(axis for axis in mesh.axes if axis in data + tensor)
    found = [Way("DDP", copies=every), Way("FSDP", shards=every)]
    if len(every) > 1:
        found.append(Way("HSDP", copies=every[:-1], shards=every[-1:]))
    if tensor:
        found += [Way("TP + DDP", copies=data, tensor=tensor), Way("TP + FSDP", shards=data, tensor=tensor)] if data else \
            [Way("TP", tensor=tensor)]
        if len(data) > 1:
            found.append(Way("TP + HSDP", copies=data[:-1], shards=data[-1:], tensor=tensor))
    return found


@dataclasses.dataclass
class Outcome:
    """What a device has to do.

    Args:
        way: the way.
        device: the device.
        memory: {what: bytes}, in the order in which it is told.
        temporaries: bytes that XLA needs for intermediate values of the step, compiled; None where nobody has asked it.
        flops: {dtype: FLOPs of a step}.
        traffic: bytes that a step reads and writes in the device's memory.
        collectives: of a step.
        bubble: the share of the time in which a pipeline waits.
        batches: how many batches, of the size that the program has, all devices do in a step.
        tf32: whether float32 products round their operands.
    """

    way: Way
    device: Device
    memory: dict[str, float]
    temporaries: float | None
    flops: dict[str, float]
    traffic: float
    collectives: list[Collective]
    bubble: float
    batches: float
    tf32: bool

    @property
    def total(self) -> float:
        """Bytes of memory, as PyTorch needs them: with what is saved for backward."""
        return sum(self.memory.values())

    @property
    def compiled(self) -> float | None:
        """The peak of the compiled step: with XLA's intermediate values in the place of what is saved."""
        return None if self.temporaries is None else self.total - self.memory[SAVED] + self.temporaries

    @property
    def fits(self) -> bool:
        """Whether the device has so much memory."""
        return self.total <= self.device.memory

    @property
    def parts(self) -> dict[str, float]:
        """Seconds that products take, memory traffic, what is sent meanwhile and what is waited for."""
        compute = sum(flops / self.device.peak(dtype, self.tf32) for dtype, flops in self.flops.items())
        sent = {flag: sum(x.wire / bandwidth(x.axes, self.device) for x in self.collectives if x.waits is flag)
                for flag in (False, True)}
        return {"compute": compute, "memory": self.traffic / self.device.bandwidth, "network": sent[False],
                "waiting": sent[True]}

    @property
    def seconds(self) -> float:
        """The least that a step takes: products beside memory traffic, then what they wait for; beside that the rest of the
        network. A pipeline's bubble makes it longer."""
        parts = self.parts
        own = (max(parts["compute"], parts["memory"]) + parts["waiting"]) / (1 - self.bubble)
        return max(own, parts["network"])

    @property
    def bound(self) -> str:
        """What takes the most of it."""
        return max(self.parts.items(), key=lambda item: item[1])[0]

    @property
    def rate(self) -> float:
        """Batches a second."""
        return self.batches / self.seconds if self.seconds else math.inf


PARAMETERS, GRADIENTS, MOMENTS, BUFFERS, SAVED, WHOLE = (
    "parameters", "gradients", "moments", "buffers", "saved for backward", "unsharded block")


@dataclasses.dataclass(frozen=True)
class Setting:
    """What all ways have in common.

    Args:
        step: the step.
        mesh: the mesh.
        device: the device.
        microbatches: of a pipeline.
        is_global: whether the program's batch is that of all devices; else it is that of each.
        traffic: bytes that one device reads and writes, if it does the whole step.
    """

    step: Step
    mesh: Mesh
    device: Device
    microbatches: int
    is_global: bool
    traffic: float


class _Sizes:
    """Bytes of the parameters of a way, by block."""

    def __init__(self, setting: Setting, way: Way, cut: Split):
        self.n, self.shards, self.cut = group_size(way.tensor), group_size(way.shards), cut
        self.parameters = setting.step.parameters

    def local(self, place: int, size: float, shards: int) -> float:
        """What a device has of something in the shape of a parameter.

        Args:
            place: that of the parameter.
            size: bytes of the whole.
            shards: into how many parts its first dimension is cut; the last one may be smaller.
        """
        shape = list(self.parameters[place].shape)
        if not shape or not size:
            return size
        count = math.prod(shape)
        if place in self.cut.dims:
            shape[self.cut.dims[place]] //= self.n
        shape[0] = math.ceil(shape[0] / shards)
        return size * math.prod(shape) / count if count else 0.0

    def by_unit(self, of, shards: int | None = None) -> dict[str, float]:
        """{block: bytes} of something.

        Args:
            of: a function from a parameter to the bytes of the whole.
            shards: as for `local`; those of the way where it is None.
        """
        found: dict[str, float] = collections.defaultdict(float)
        for place, p in enumerate(self.parameters):
            found[p.unit] += self.local(place, of(p), self.shards if shards is None else shards)
        return found


def outcome(setting: Setting, way: Way, temporaries: float | None = None) -> Outcome:
    """What a way comes to.

    Args:
        setting: what all have in common.
        way: the way.
        temporaries: see `Outcome`.

    Raises:
        MeshError: a pipeline has more stages than the model blocks.
    """
    step = setting.step
    cut = split(step, group_size(way.tensor))
    pipe = setting.mesh.of(PIPE)
    line = stages(step, group_size(pipe), setting.microbatches)
    share = 1 / way.replicas if setting.is_global else 1.0
    sizes = _Sizes(setting, way, cut)
    flops = _flops(step, cut, sizes.n, share, line)
    return Outcome(way, setting.device, _memory(step, sizes, cut, share, line), temporaries, flops,
                   _traffic(setting, sizes, sum(flops.values()), share, line),
                   [*_data(step, way, sizes, line), *_tensor(way, cut, share, line), *_pipe(step, pipe, share, line)],
                   line.bubble, 1 if setting.is_global else way.replicas, step.tf32)


def _memory(step, sizes, cut, share, line) -> dict[str, float]:
    def most(of, shards=None):
        return line.largest(sizes.by_unit(of, shards))

    whole: float = 0
    if sizes.shards > 1:
        parameters, gradients = (sizes.by_unit(of, 1) for of in (_own, _gradient))
        whole = max(parameters[unit] + gradients[unit] for unit in parameters)
    scalars = sum(p.scalars for p in step.parameters)
    return {PARAMETERS: most(_own), GRADIENTS: most(_gradient), MOMENTS: most(_moments) + scalars,
            BUFFERS: sum(step.buffers.values()), SAVED: saved(step, cut, sizes.n, line) * share, WHOLE: whole}


def saved(step: Step, cut: Split, n: int, line: Stages) -> float:
    """The most that a pass keeps for backward, of a whole batch.

    Args:
        step: the step.
        cut: what is split.
        n: over how many devices.
        line: the stages.
    """
    most: float = 0
    for passing in step.passes:
        by_unit: dict[str, float] = collections.defaultdict(float)
        for x in passing:
            by_unit[x.unit] += x.saved / (n if x.number in cut.kept else 1)
        most = max(most, line.largest(by_unit) * line.held)
    return most


def _own(p: Parameter) -> int:
    return p.bytes


def _gradient(p: Parameter) -> int:
    return p.gradient


def _moments(p: Parameter) -> int:
    return p.moments


def _flops(step, cut, n, share, line) -> dict[str, float]:
    by_dtype: dict = collections.defaultdict(lambda: collections.defaultdict(float))
    for x in step.operations:
        by_dtype[x.dtype][x.unit] += (x.flops + x.backward_flops) / (n if x.number in cut.numbers else 1)
    for dtype, flops in step.other_flops.items():
        by_dtype[dtype][ROOT] += flops / line.count
    return {dtype: line.largest(by_unit) * share for dtype, by_unit in by_dtype.items() if any(by_unit.values())}


def _traffic(setting, sizes, flops, share, line) -> float:
    """What the optimizer reads and writes goes with the parameters that a device has, the rest with its FLOPs."""
    def update(shards, largest):
        return 2 * largest(sizes.by_unit(_own, shards)) + largest(sizes.by_unit(_gradient, shards)) \
            + 2 * largest(sizes.by_unit(_moments, shards))

    everything = sum(2 * p.bytes + p.gradient + 2 * p.moments for p in setting.step.parameters)
    part = flops / setting.step.flops if setting.step.flops else share
    return max(0.0, setting.traffic - everything) * part + update(None, line.largest)


def _data(step, way, sizes, line) -> list[Collective]:
    """The collectives of the axes for data."""
    found = []
    if way.shards and sizes.shards > 1:
        units = _communicating(step, line)
        passes = len(step.passes) * line.microbatches
        gathers = sum(passes * (2 if unit else 1) for unit in units)
        own, gradients = sizes.by_unit(_own, 1), sizes.by_unit(_gradient, 1)
        gathered = sum(own[unit] * passes * (2 if unit else 1) for unit in units)
        scattered = sum(gradients[unit] for unit in units)
        found += [Collective(ALL_GATHER, way.shards, gathers, gathered),
                  Collective(REDUCE_SCATTER, way.shards, len(units), scattered)]
        if group_size(way.copies) > 1:
            found.append(Collective(ALL_REDUCE, way.copies, len(units),
                                    sum(sizes.by_unit(_gradient)[unit] for unit in units)))
    elif group_size(way.copies) > 1:
        found += _replicated(step, way, sizes, line)
    return found


def _communicating(step, line) -> list[str]:
    """The blocks with parameters of the largest stage, and ROOT if it has some."""
    having = {p.unit for p in step.parameters}
    most = max(map(len, line.groups))
    units = next(group for group in line.groups if len(group) == most)
    return [unit for unit in (ROOT, *units) if unit in having]


@dataclasses.dataclass(frozen=True)
class _Form:
    """A dtype, as `buckets_of` looks at it."""

    name: str
    itemsize: int


@dataclasses.dataclass(frozen=True)
class _Part:
    """The gradient of a parameter, as it looks at that: so many elements of a dtype."""

    size: int
    dtype: _Form

    def numel(self) -> int:
        return self.size


def _replicated(step, way, sizes, line) -> list[Collective]:
    """As `DistributedDataParallel` does it: buckets in the order in which the gradients are made, and the buffers of rank 0
    before each forward pass."""
    units = set(_communicating(step, line))
    places = [i for i in dict.fromkeys([*step.order, *range(len(step.parameters))])
              if step.parameters[i].gradient and step.parameters[i].unit in units]
    grads = []
    for i in places:
        p = step.parameters[i]
        itemsize = p.bytes // math.prod(p.shape) if p.bytes else 1
        grads.append(_Part(int(sizes.local(i, p.gradient, 1)) // itemsize, _Form(p.dtype, itemsize)))
    total = sum(x.numel() * x.dtype.itemsize for x in grads)
    found = [Collective(ALL_REDUCE, way.copies, len(buckets_of(grads, range(len(grads)), CAP, FIRST)), total)]
    if step.buffers:
        passes = max(1, len(step.passes))
        found.append(Collective(BROADCAST, way.copies, passes * len(step.buffers), passes * sum(step.buffers.values())))
    return found


def _tensor(way, cut, share, line) -> list[Collective]:
    """The collectives of split layers, of those of one stage of a pipeline."""
    found = []
    for kind in (ALL_REDUCE, ALL_GATHER):
        sizes = [size for each, size in cut.sent if each == kind]
        if sizes and way.tensor:
            count = math.ceil(len(sizes) / line.count) * line.microbatches
            found.append(Collective(kind, way.tensor, count, sum(sizes) * share / line.count, waits=True))
    return found


def _pipe(step, pipe, share, line) -> list[Collective]:
    """What a stage hands to the next, and the gradients that it hands back."""
    if line.count == 1:
        return []
    return [Collective(SEND, pipe, 2 * line.microbatches, 2 * step.boundary * share, waits=True)]


def best_first(outcomes: list[Outcome]) -> list[Outcome]:
    """Those that fit before those that do not; of these the faster first, of those the smaller."""
    return sorted(outcomes, key=lambda x: (not x.fits, -x.rate if x.fits else x.total))
