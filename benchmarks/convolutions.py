"""``python -m benchmarks.convolutions``: those of four models, forward and both gradients, torch eager against torchlike.

Each library runs in a process of its own, torchlike compiled by XLA. Batch 8, float32, images of 224 x 224, for U-Net of
128 x 128.
"""

import argparse
import dataclasses
import importlib
import json
import math
import re
import sys
import time

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import suite

LIBRARIES = ("torch", "torchlike")
PARTS = ("forward", "to input", "to weight")
BATCH, LEAST, SECONDS = 8, 3, 0.1
GOAL = 1.1


@dataclasses.dataclass(frozen=True)
class Shape:
    """A convolution of ``size`` x ``size`` places."""

    narrow: int
    size: int
    wide: int
    kernel: int
    stride: int = 1
    padding: int = 0
    groups: int = 1
    transposed: bool = False

    def __str__(self):
        name = f"{self.narrow} to {self.wide} {self.kernel}x{self.kernel} on {self.size}x{self.size}"
        more = {f"stride {self.stride}": self.stride > 1, "depthwise": self.groups > 1, "transposed": self.transposed}
        return ", ".join([name, *(text for text, holds in more.items() if holds)])


def _same(narrow, size, wide, kernel, stride=1, groups=1):
    return Shape(narrow, size, wide, kernel, stride, kernel // 2, groups)


def _alone(channels, size, kernel, stride=1):
    return _same(channels, size, channels, kernel, stride, channels)


MODELS = {
    "ResNet-18": (
        _same(3, 224, 64, 7, 2), _same(64, 56, 64, 3), _same(64, 56, 128, 3, 2), _same(64, 56, 128, 1, 2),
        _same(128, 28, 128, 3), _same(128, 28, 256, 3, 2), _same(128, 28, 256, 1, 2), _same(256, 14, 256, 3),
        _same(256, 14, 512, 3, 2), _same(256, 14, 512, 1, 2), _same(512, 7, 512, 3)),
    "ConvNeXt-atto": (
        Shape(3, 224, 40, 4, 4), _alone(40, 56, 7), _same(40, 56, 160, 1), _same(160, 56, 40, 1), Shape(40, 56, 80, 2, 2),
        _alone(80, 28, 7), _same(80, 28, 320, 1), _alone(160, 14, 7), _same(160, 14, 640, 1), _alone(320, 7, 7),
        _same(320, 7, 1280, 1)),
    "EfficientNet-B0": (
        _same(3, 224, 32, 3, 2), _alone(32, 112, 3), _same(32, 112, 16, 1), _same(16, 112, 96, 1), _alone(96, 112, 3, 2),
        _same(96, 56, 24, 1), _alone(144, 56, 5, 2), _same(240, 28, 40, 1), _alone(240, 28, 3, 2), _alone(480, 14, 5),
        _same(80, 14, 480, 1), _alone(1152, 7, 5), _same(320, 7, 1280, 1)),
    "U-Net": (
        _same(3, 128, 32, 3), _same(32, 128, 32, 3), _same(64, 64, 64, 3), _same(256, 32, 128, 3),
        Shape(128, 32, 64, 2, 2, transposed=True), _same(256, 16, 256, 3), Shape(32, 128, 2, 1)),
}


def main() -> int:
    """Measure, print; 1 if a part takes more than `GOAL` times torch's time."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.convolutions", description=__doc__)
    parser.add_argument("--match", default="", help="only models whose name this expression finds")
    parser.add_argument("--worker", choices=LIBRARIES, help="measure one library in this process, print JSON")
    options = parser.parse_args()
    models = [name for name in MODELS if re.search(options.match, name)]
    if options.worker:
        print(json.dumps(measured(importlib.import_module(options.worker), models)))
        return 0
    command = [sys.executable, "-m", "benchmarks.convolutions", "--match", options.match, "--worker"]
    found = {library: suite.launched([*command, library], {}) for library in LIBRARIES}
    return report(models, *(found[library] for library in LIBRARIES))


def measured(library, models: list) -> dict:
    """{model: for each shape the seconds of each of `PARTS`}."""
    if library.__name__ == "torch":
        return {name: [_times(library, shape) for shape in MODELS[name]] for name in models}
    with library.configure(compile="now"):
        return {name: [_times(library, shape) for shape in MODELS[name]] for name in models}


def _times(torch, shape) -> list:
    rng = np.random.default_rng(0)

    def tensor(*sizes):
        return torch.from_numpy(rng.standard_normal(sizes).astype(np.float32)).requires_grad_()

    pair = (shape.narrow, shape.wide) if shape.transposed else (shape.wide, shape.narrow // shape.groups)
    x, w = tensor(BATCH, shape.narrow, shape.size, shape.size), tensor(*pair, shape.kernel, shape.kernel)
    function = torch.nn.functional.conv_transpose2d if shape.transposed else torch.nn.functional.conv2d

    def forward():
        return function(x, w, stride=shape.stride, padding=shape.padding, groups=shape.groups)

    y = forward()
    g = tensor(*y.shape).detach()
    steps = (lambda: forward().detach(), lambda: torch.autograd.grad(y, x, g, retain_graph=True)[0],
             lambda: torch.autograd.grad(y, w, g, retain_graph=True)[0])
    return [_time(step) for step in steps]


def _time(step) -> float:
    """The least time of a call whose result is read."""
    samples: list[float] = []
    end = math.inf
    while len(samples) < LEAST + 2 or time.perf_counter() < end:
        start = time.perf_counter()
        step().numpy()
        samples.append(time.perf_counter() - start)
        if len(samples) == 2:  # compiled by now
            end = time.perf_counter() + SECONDS
    return min(samples[2:])


def report(models: list, theirs: dict, ours: dict) -> int:
    """A line for each shape: torch's milliseconds and how many times as long torchlike takes."""
    console = Console(highlight=False, width=120)
    for found in (theirs, ours):
        if "error" in found:
            console.print(found["error"], markup=False)
            return 1
    table = Table("", *(f"{part}, ms" if column == 0 else "ratio" for part in PARTS for column in range(2)))
    worst = 0.0
    for name in models:
        table.add_row(name, style="bold")
        sums = [[sum(times) for times in zip(*found[name], strict=True)] for found in (theirs, ours)]
        lines = [*zip(map(str, MODELS[name]), theirs[name], ours[name], strict=True), ("all", *sums)]
        for title, first, second in lines:
            ratios = [b / a for a, b in zip(first, second, strict=True)]
            worst = max(worst, *ratios)
            table.add_row(title, *(cell for a, ratio in zip(first, ratios, strict=True) for cell in
                                   (f"{a * 1e3:.2f}", f"[red]{ratio:.2f}[/]" if ratio > GOAL else f"{ratio:.2f}")))
    console.print(table)
    return int(worst > GOAL)


if __name__ == "__main__":
    sys.exit(main())
