"""Which layers can be split over devices, found in the graph.

Between two products with a weight lies a stretch of the graph. Where all that is done there does the same to each part of
the features or heads (pointwise functions, views, attention), the product before it can make a part of them on each device
(its weight split by columns), and the one behind it sum over its part (by rows): nothing is sent in between. Behind a
product by rows the parts are added up, an all-reduce; so are the gradients of what a product by columns reads.

A product that is left over, as a head is, makes its part of the result, which is gathered; an embedding has a part of the
rows of its table, and what it finds is added up.
"""

import collections
import dataclasses
import math

from torchlike._plan.collectives import ALL_GATHER, ALL_REDUCE
from torchlike._plan.facts import Operation, Step

_COLUMNS, _ROWS, _GATHERED = "columns", "rows", "gathered"
_CASTS = ("TBackward0", "ToCopyBackward0", "TransposeBackward0", "PermuteBackward0")
_HEADS = 4  # dimensions of what attention works on: the second one is the heads


@dataclasses.dataclass
class Split:
    """What is split.

    Args:
        dims: {place of a parameter: the dimension along which it is}.
        numbers: the operations of which each device does a part.
        kept: the operations that save a part of what they would.
        sent: (kind of collective, bytes) of each that a pass of the step needs.
    """

    dims: dict[int, int] = dataclasses.field(default_factory=dict)
    numbers: set[int] = dataclasses.field(default_factory=set)
    kept: set[int] = dataclasses.field(default_factory=set)
    sent: list[tuple[str, int]] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class _Product:
    """A product with a weight: ``operation``; ``weight`` and ``bias``, the places of parameters; ``turned``, whether the
    weight is transposed first, as that of `nn.Linear`; ``source``, the number of what it reads."""

    operation: Operation
    weight: int
    bias: int | None
    turned: bool
    source: int | None
    role: str = ""

    def dim(self, role) -> int:
        """Along which the weight is split."""
        return int(role == _ROWS) if self.turned else int(role != _ROWS)


def split(step: Step, n: int) -> Split:
    """What can be split over n devices.

    Args:
        step: the step.
        n: how many devices share each layer.
    """
    found = Split()
    if n > 1:
        for passing in step.passes:
            _Graph(passing, step, n, found).split()
    return found


class _Graph:
    """One pass."""

    def __init__(self, passing: list[Operation], step: Step, n: int, found: Split):
        self.by_number = {operation.number: operation for operation in passing}
        self.step, self.n, self.found = step, n, found
        self.products = {x.number: made for x in passing if (made := self._product(x)) is not None}
        self.owner = {number: number for number in self.by_number}  # of values, those of one stretch have one
        self.blocked: set[int] = set()
        self.leaves: dict[int, list[int]] = collections.defaultdict(list)  # parameters that are added in a stretch, say
        self.readers: dict[int, list[_Product]] = collections.defaultdict(list)

    def _product(self, operation) -> _Product | None:
        if operation.name not in ("AddmmBackward0", "MmBackward0") or len(operation.inputs) < 2:
            return None
        reads = operation.inputs[-2]
        weight, turned = self._leaf(operation.inputs[-1])
        if weight is None or (reads is not None and reads.node is None):
            return None
        bias = None
        if len(operation.inputs) == 3 and (bias := self._leaf(operation.inputs[0])[0]) is None:
            return None
        return _Product(operation, weight, bias, turned, None if reads is None else reads.node)

    def _leaf(self, source) -> tuple[int | None, bool]:
        """(the parameter behind casts and transpositions, or None; whether it is transposed)."""
        turned = False
        while source is not None and source.node is not None and self.by_number[source.node].name in _CASTS:
            turned ^= self.by_number[source.node].name != "ToCopyBackward0"
            source = self.by_number[source.node].inputs[0]
        is_parameter = source is not None and source.leaf is not None and source.leaf >= 0
        return source.leaf if is_parameter else None, turned

    def split(self) -> None:
        """Adds what can be split of this pass."""
        self._stretch()
        producing: dict[int, list[_Product]] = collections.defaultdict(list)
        for number, product in self.products.items():
            producing[self._of(number)].append(product)
        for stretch, before in producing.items():
            behind = self.readers.get(stretch, [])
            if stretch not in self.blocked and self._fits(stretch, before, behind):
                self._split_stretch(stretch, before, behind)
        self._split_others()
        self._send()

    # -- stretches

    def _of(self, number) -> int:
        while self.owner[number] != number:
            self.owner[number] = number = self.owner[self.owner[number]]
        return number

    def _stretch(self) -> None:
        """Joins values, and notes which stretches something else has to do with."""
        blocked = []
        for number, operation in self.by_number.items():
            product = self.products.get(number)
            sources = [source for source in operation.inputs if source is not None]
            nodes = [source.node for source in sources if source.node is not None]
            if product is not None:
                if product.source is not None:
                    self.readers[product.source].append(product)
            elif operation.is_split_alike:
                for node in nodes:
                    self.owner[self._of(node)] = self._of(number)
                self.leaves[number] += [source.leaf for source in sources if source.leaf is not None]
            else:
                blocked += [number, *nodes]
        self.blocked = {self._of(number) for number in blocked}
        self.readers, self.leaves = self._by_stretch(self.readers), self._by_stretch(self.leaves)

    def _by_stretch(self, found: dict[int, list]) -> dict[int, list]:
        """Lists by value, joined by stretch."""
        joined: dict[int, list] = collections.defaultdict(list)
        for number, each in found.items():
            joined[self._of(number)] += each
        return joined

    def _fits(self, stretch, before, behind) -> bool:
        """Whether products before and behind a stretch can be split by columns and rows."""
        if not behind or any(product.role for product in (*before, *behind)):
            return False
        widths = [product.operation.shape[-1] for product in before]
        widths += [product.operation.shapes[-2][-1] for product in behind]
        heads = [shape[1] for number in self.by_number if self._of(number) == stretch
                 for shape in (self.by_number[number].shape, *self.by_number[number].shapes)
                 if len(shape) >= _HEADS and "ScaledDotProduct" in self.by_number[number].name]
        vectors = [leaf >= 0 and self.step.parameters[leaf].shape == (before[0].operation.shape[-1],)
                   for leaf in self.leaves[stretch]]
        return all(width % self.n == 0 for width in (*widths, *heads)) and all(vectors) and \
            self._agree(before, _COLUMNS) and self._agree(behind, _ROWS)

    def _agree(self, products, role) -> bool:
        """Whether their weights are not split another way already."""
        return all(self.found.dims.get(product.weight, product.dim(role)) == product.dim(role) for product in products)

    def _split_stretch(self, stretch, before, behind) -> None:
        for product in before:
            self._assign(product, _COLUMNS)
        for product in behind:
            self._assign(product, _ROWS)
        self.found.dims.update(dict.fromkeys(self.leaves[stretch], 0))  # a bias that is added apart
        inside = {number for number in self.by_number if self._of(number) == stretch and number not in self.products}
        self.found.numbers |= inside
        self.found.kept |= inside | {product.operation.number for product in behind}

    def _assign(self, product, role) -> None:
        product.role = role
        self.found.dims[product.weight] = product.dim(role)
        if product.bias is not None and role != _ROWS:
            self.found.dims[product.bias] = 0
        self.found.numbers.add(product.operation.number)

    # -- the rest

    def _split_others(self) -> None:
        """Products that are left over, and embeddings."""
        for product in self.products.values():
            if not product.role and product.operation.shape[-1] % self.n == 0 and self._agree([product], _GATHERED):
                self._assign(product, _GATHERED)
        for number, operation in self.by_number.items():
            table = operation.inputs[0] if operation.name == "EmbeddingBackward0" else None
            if table is None or table.leaf is None or table.leaf < 0 or self.found.dims.get(table.leaf, 0) != 0:
                continue
            if self.step.parameters[table.leaf].shape[0] % self.n == 0:
                self.found.dims[table.leaf] = 0
                self.found.numbers.add(number)
                self.found.sent.append((ALL_REDUCE, operation.bytes))

    def _send(self) -> None:
        """What the products of this pass need."""
        reading: dict[int, int] = {}  # what is read by columns: the bytes of its gradient, which is added up once
        for product in self.products.values():
            if product.role == _ROWS:
                self.found.sent.append((ALL_REDUCE, product.operation.bytes))
            elif product.role == _GATHERED:
                self.found.sent.append((ALL_GATHER, product.operation.bytes))
            if product.role in (_COLUMNS, _GATHERED) and product.source is not None:
                origin = self._origin(product.source)
                reading[origin] = product.operation.itemsize * math.prod(product.operation.shapes[-2])
        self.found.sent += [(ALL_REDUCE, size) for size in reading.values()]

    def _origin(self, number) -> int:
        """Where a value comes from, past views and casts: layers that read it have views of their own."""
        operation = self.by_number[number]
        while operation.name in ("ViewBackward0", "UnsafeViewBackward0", "ToCopyBackward0", *_CASTS):
            source = operation.inputs[0]
            if source is None or source.node is None:
                break
            operation = self.by_number[source.node]
        return operation.number
