"""Kernels side by side in one instruction: what an optimizer does to a group of parameters."""

from torchlike._compile.kernels import Kernel, counters


class StepKernel(Kernel):
    """One part for each parameter; parameters of one form share theirs.

    A part takes what it overwrites (as many arrays as it has results), a gradient, then what all parts share. The arrays
    of the step are, for each part, what it overwrites; then the gradients; then the shared arrays; then the numbers. Its
    results are those of the parts. The hot tier splices the parts into the program, the cold tier runs them one by one,
    so a first step compiles one small program for each form.
    """

    __slots__ = ("parts", "widths")

    def __init__(self, parts: tuple, shared: tuple):
        """`parts`: kernels with the same numbers, on one device; `shared`: the Avals of the shared arrays."""
        self.parts = parts
        self.widths = [len(part.outs) for part in parts]
        ins = (*(a for part, w in zip(parts, self.widths, strict=True) for a in part.ins[:w]),
               *(part.ins[w] for part, w in zip(parts, self.widths, strict=True)), *shared)
        super().__init__(f"{parts[0].name}_step", self._all, ins, parts[0].numbers, parts[0].device,
                         outs=tuple(a for part in parts for a in part.outs))
        counters["kernels"] += 1

    def _all(self, *arrays):
        outs = []
        for part, own, _ in self.split(arrays, range(len(self.outs))):
            outs.extend(part.jitted(*own))
        return tuple(outs)

    def split(self, ins, outs):
        found, at, owned, count = [], 0, len(self.outs), len(self.parts)
        shared = ins[owned + count:]
        for i, (part, width) in enumerate(zip(self.parts, self.widths, strict=True)):
            found.append((part, (*ins[at:at + width], ins[owned + i], *shared), outs[at:at + width]))
            at += width
        return found

    def calls(self, ins, outs):
        return [call for part, own, made in self.split(ins, outs) for call in part.calls(own, made)]
