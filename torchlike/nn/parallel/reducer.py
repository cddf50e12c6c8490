"""Averaging the gradients of a `DistributedDataParallel` over the ranks.

A parameter's hook tells when its gradient is there. When those of a bucket are, they become one tensor, in the program of
the backward pass so far, which runs then, and are sent while the rest of the backward pass goes on; the last bucket ends it.
What comes back is an input of what is recorded next, the optimizer's step as a rule, which takes it apart. So a step is a
program more than it has buckets, and the gradients of one rank alone are never written to memory as such. Where it is not
known before which parameters are used, all buckets are sent at the end.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from torchlike._base.errors import UnsupportedError
from torchlike._base.settings import strided
from torchlike._c10d import tensors
from torchlike._c10d.flat import flattened, unflattened
from torchlike._record.tensor import Tensor
from torchlike.autograd import grad_mode
from torchlike.nn.parallel import sparse
from torchlike.nn.parallel.buckets import GradBucket, buckets_of

_UNFINISHED = (
    "Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that your "
    "module has parameters that were not used in producing loss. ")
_FIND = (
    "You can enable unused parameter detection by passing the keyword argument `find_unused_parameters=True` to "
    "`torch.nn.parallel.DistributedDataParallel`, and by \nmaking sure all `forward` function outputs participate in "
    "calculating loss. \n")
_OUTPUTS = (
    "If you already have done the above, then the distributed data parallel module wasn't able to locate the output tensors "
    "in the return value of your module's `forward` function. Please include the loss function and the structure of the "
    "return value of `forward` of your module when reporting this issue (e.g. list, dict, iterable).")
_INDICES = (
    "\nParameter indices which did not receive grad for rank {}: {}\n In addition, you can set the environment variable "
    "TORCH_DISTRIBUTED_DEBUG to either INFO or DETAIL to print out information about which particular parameters did not "
    "receive gradient on this rank as part of this error")
_TWICE = (
    "Expected to mark a variable ready only once. This error is caused by one of the following reasons: 1) Use of a module "
    "parameter outside the `forward` function. Please make sure model parameters are not shared across multiple concurrent "
    "forward-backward passes. or try to use _set_static_graph() as a workaround if this module graph does not change during "
    "training loop.2) Reused parameters in multiple reentrant backward passes.")


class Reducer:
    """Averages gradients.

    Args:
        params: the parameters that require grad, each once.
        group: the process group.
        cap, first: the sizes of buckets, see `buckets_of`.
        finds_unused: whether parameters may get no gradient.
        is_static: whether all backward passes are alike; then parameters may be ready more than once.
        alone: the places of the parameters whose gradients are sparse.
    """

    def __init__(self, params: list, group, cap: int, first: int, finds_unused: bool, is_static: bool,
                 alone: frozenset[int] = frozenset()):
        self.params, self.group, self.finds_unused, self.is_static = params, group, finds_unused, is_static
        self._caps = cap, first, alone
        self._sparse = {id(params[place]) for place in alone}
        # As in PyTorch: at first by the order of the parameters, from the second backward pass on of their gradients.
        self.buckets: list[list[int]] = []
        self._bucket_of: dict[int, int] = {}  # the place of a parameter -> that of its bucket
        self._fill(buckets_of(params, range(len(params)), *self._caps)[::-1])
        self._order: list[int] | None = None if finds_unused or is_static else []
        self._used: np.ndarray | None = None
        self.hook: Any = None
        self.divisor = group.size()
        self._places = {id(p): place for place, p in enumerate(params)}
        self._waiting: set[int] = set()
        self._unused: set[int] = set()
        self._expects, self._expected = False, 0
        self._flights: list[_Flight | _SparseFlight] = []  # of this backward pass, in the order of the buckets
        self._missing: list[int] | None = None  # how many gradients each bucket lacks; None: all are sent at the end
        self._handles = [p.register_post_accumulate_grad_hook(self._ready) for p in params]

    def remove_hooks(self) -> None:
        """From now on gradients stay as they are."""
        for handle in self._handles:
            handle.remove()

    def prepare(self, outputs) -> None:
        """A forward pass has ended: the gradients of its backward pass are to be averaged.

        Args:
            outputs: what it returns.

        Raises:
            RuntimeError: some parameters got no gradient in the last backward pass.
        """
        self._give_back()
        if self._expects and 0 < len(self._waiting) < self._expected:
            raise RuntimeError(self._unfinished())
        self._waiting, self._unused, self._expects = set(range(len(self.params))), set(), True
        self._missing = None
        if len(self.buckets) > 1 and not (self.finds_unused or self.is_static):
            self._missing = [len(bucket) for bucket in self.buckets]
        if self.finds_unused or self.is_static:
            used = {self._places[id(x)] for x in _leaves(outputs) if id(x) in self._places}
            self._unused = self._waiting - used
            self._waiting = used
            if not used:
                self._finish()
        self._expected = len(self._waiting)

    def shadow(self) -> None:
        """The collectives of a step in which this rank has no gradients: it adds zeros."""
        with grad_mode.no_grad():
            chosen = self._chosen(set(range(len(self.params))))
            zeros = [self._nothing(params) for params in chosen]
            for total in [self._sent(i, params, flat, len(chosen))
                          for i, (params, flat) in enumerate(zip(chosen, zeros, strict=True))]:
                total()
        self._rebuild()

    def _nothing(self, params) -> Tensor:
        """The gradients of a rank that has none."""
        if id(params[0]) in self._sparse:
            return sparse.empty_gradient(params[0])
        return tensors.made(np.zeros(sum(p.numel() for p in params), params[0].dtype.np), params[0].device)

    def skip(self) -> None:
        """A forward pass has ended whose gradients stay as they are."""
        self._expects = False

    def _unfinished(self) -> str:
        missing = " ".join(map(str, sorted(self._waiting)))
        find = "" if self.finds_unused else _FIND
        return _UNFINISHED + find + _OUTPUTS + _INDICES.format(self.group.rank(), missing)

    def _ready(self, p) -> None:
        if not self._expects:
            return
        place = self._places[id(p)]
        if place not in self._waiting:
            if self.is_static or place in self._unused:
                return
            raise RuntimeError(_TWICE)
        self._waiting.discard(place)
        if self._order is not None:
            self._order.append(place)
        if not self._waiting:
            self._finish()
        elif self._missing is not None:
            self._missing[self._bucket_of[place]] -= 1
            while not self._missing[len(self._flights)]:
                self._send([self.params[i] for i in self.buckets[len(self._flights)]])

    def _finish(self) -> None:
        self._expects = False
        with grad_mode.no_grad():
            self._reduce(self._chosen(self._unused))
        self._rebuild()

    def _send(self, params) -> None:
        """A bucket is full before the backward pass has ended."""
        with grad_mode.no_grad():
            made = self._flight(params)
            self._flights.append(made)
            self._start(made, len(self.buckets))

    def _give_back(self) -> None:
        """Each rank has its own gradients again, of a backward pass that has failed."""
        for flight in self._flights:
            flight.give_back()
        self._flights = []

    def _chosen(self, unused: set) -> list[list]:
        """The parameters whose gradients are sent, by bucket."""
        used = self._used
        if used is None and (self.finds_unused or self.is_static):
            used = self._used_somewhere(unused)
            self._used = used if self.is_static else None
        chosen = [[self.params[place] for place in bucket if used is None or used[place]] for bucket in self.buckets]
        return [params for params in chosen if params]

    def _rebuild(self) -> None:
        """After the first pass: buckets in the order in which gradients are made, on the last rank that had some."""
        if self._order is None:
            return
        rank, count = self.group.rank(), len(self.params)
        mine = np.array([rank if self._order else -1], np.int32)
        source = int(self.group.run("rank of order", "all_reduce", ("max",), mine)[0])
        own = np.array(self._order or range(count), np.int32)
        order = self.group.run("order of gradients", "broadcast", (source,), own).view(np.int32).tolist()
        self._fill(buckets_of(self.params, order, *self._caps))
        self._order = None

    def _fill(self, buckets) -> None:
        self.buckets = buckets
        self._bucket_of = {place: i for i, bucket in enumerate(buckets) for place in bucket}

    def _used_somewhere(self, unused: set) -> np.ndarray:
        """For each parameter whether any rank has used it."""
        flags = np.ones(len(self.params), np.int32)
        flags[list(unused)] = 0
        return self.group.run("used parameters", "all_reduce", ("max",), flags)

    def _flight(self, params) -> "_Flight | _SparseFlight":
        factor = 1.0 if self.hook is not None else 1.0 / self.divisor  # a hook gets gradients as they are
        return (_SparseFlight if id(params[0]) in self._sparse else _Flight)(params, factor)

    def _reduce(self, buckets: list) -> None:
        flights = [self._flight(params) for params in buckets[len(self._flights):]]
        self._flights += flights
        try:
            for flight in flights:
                self._start(flight, len(buckets))
            for flight in self._flights:
                flight.land(flight.total())
        except BaseException:
            self._give_back()
            raise
        self._flights = []

    def _start(self, flight, count: int) -> None:
        flight.total = self._sent(self._flights.index(flight), flight.params, flight.flat, count)

    def _sent(self, index: int, params: list, flat: Tensor, count: int) -> Callable[[], Tensor]:
        """Starts what sends the bucket of a number, of so many; what is returned waits for the total."""
        if self.hook is None and flat.layout is not strided:
            found = sparse.summed(self.group, flat)
            return lambda: found
        if self.hook is None:
            back, entry = self.group.start("gradients", "all_reduce", ("sum",), tensors.taken(flat))
            box: list = []
            work = self.group.work(entry, [back], box.extend, [])

            def total():
                work.wait()
                return tensors.made(box[0], flat.device)
            return total
        hook, state = self.hook
        future = hook(state, GradBucket(index, params, flat, index == count - 1))

        def total_of_hook():
            found = future.wait()
            return found[0] if isinstance(found, list | tuple) else found
        return total_of_hook


class _Flight:
    """The gradients of a bucket, which become one tensor, ``flat``: what is read of them meanwhile is that.

    Args:
        params: the parameters.
        factor: by what their gradients are multiplied.
    """

    def __init__(self, params, factor):
        self.params, self._factor = params, factor
        self._grads = [_grad_of(p) for p in params]
        self._forms = [grad._cell.aval for grad in self._grads]
        self.total: Any = None  # waits for what comes back, when it has been sent
        self._has_landed = False
        self.flat = flattened(self._grads, factor)
        for grad in self._grads:  # else the program would return each rank's own gradients, too
            grad._cell = self.flat._cell

    def land(self, total) -> None:
        """Gradients become the parts of this, with the strides that they have had."""
        for grad, new, form in zip(self._grads, unflattened(total, self.params), self._forms, strict=True):
            cell = new._cell
            cell.aval = form
            grad._cell = cell
        self._has_landed = True

    def give_back(self) -> None:
        """Gradients become this rank's own again."""
        if not self._has_landed:
            self.land(self.flat / self._factor)


class _SparseFlight:
    """The same of a sparse gradient, which is a bucket by itself."""

    def __init__(self, params, factor):
        p, = self.params = params
        with grad_mode.no_grad():
            if p.grad is None:
                p.grad = sparse.empty_gradient(p)
            self._grad = p.grad
            self.flat = p.grad if factor == 1.0 else p.grad * factor
        self.total: Any = None

    def land(self, total) -> None:
        """The gradient becomes this."""
        self._grad.data = total

    def give_back(self) -> None:
        """It is still this rank's own."""


def _grad_of(p) -> Tensor:
    """The gradient of a parameter; zeros, from now on, where this rank has not used it."""
    if p.grad is None:
        p.grad = p.detach() * 0
    if p.grad._cell.layout is not strided:
        raise UnsupportedError("DistributedDataParallel with sparse gradients of other modules than Embedding and "
                               "EmbeddingBag is not supported")
    return p.grad


def _leaves(outputs) -> Iterator[Any]:
    """The leaves that outputs depend on."""
    nodes = [x.grad_fn for x in _tensors(outputs) if x.grad_fn is not None]
    seen = set()
    while nodes:
        node = nodes.pop()
        if node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            yield node.variable
        nodes += [edge[0] for edge in node.next_functions if edge[0] is not None]


def _tensors(outputs) -> Iterator[Tensor]:
    if isinstance(outputs, Tensor):
        yield outputs
    elif isinstance(outputs, dict):
        for each in outputs.values():
            yield from _tensors(each)
    elif isinstance(outputs, list | tuple):
        for each in outputs:
            yield from _tensors(each)
    elif hasattr(outputs, "__dataclass_fields__"):
        for name in outputs.__dataclass_fields__:
            yield from _tensors(getattr(outputs, name))
