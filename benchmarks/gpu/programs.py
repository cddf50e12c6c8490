"""What is run on a GPU, at two scales, and what a GPU could do in the same time."""

import dataclasses
from typing import Any

from benchmarks.programs import chain, gpt, resnet

SCALES = ("full", "tiny")


@dataclasses.dataclass(frozen=True)
class Program:
    """A program of `benchmarks/programs` and how its speed is told."""

    title: str
    module: str
    unit: str  # what a step has so many of
    sizes: dict[str, Any]  # by scale; empty where the program has one size
    peak: str | None  # the arithmetic that its products are done in: a key of PEAKS
    ends_steps: bool = True  # by an optimizer; of the others all unread steps are one to torchlike

    def options(self, scale: str) -> dict:
        """The arguments of the program's `make_step`."""
        return {"size": self.sizes[scale]} if self.sizes else {}

    def items(self, scale: str) -> int:
        """How many of the unit a step has."""
        return self.sizes[scale].items if self.sizes else 4 * chain.LINKS

    def flops(self, scale: str) -> int | None:
        """The arithmetic of a step's products, None where there are none."""
        return self.sizes[scale].flops if self.sizes else None


PROGRAMS = {
    "chain": Program(chain.TITLE, "chain", "operations", {}, None, False),
    "gpt2": Program("GPT-2, 124M parameters, 8 x 1024 tokens, bfloat16 autocast, AdamW", "gpt", "tokens", {
        "full": gpt.Size(12, 768, 12, 1024, 8, 50257, tied=True, autocast=True),
        "tiny": gpt.Size(2, 32, 2, 16, 2, 64, tied=True, autocast=True)}, "bfloat16"),
    "resnet50": Program(resnet.TITLE, "resnet", "images", {
        "full": resnet.Size(),
        "tiny": resnet.Size(depths=(2, 1), width=8, image=32, batch=4, classes=10)}, "tf32"),
}

# Dense FLOP/s by part of the device's name, the longer ones first: bfloat16 products with float32 sums, from the
# makers' data sheets. TF32 has half of it on all of these.
_BFLOAT16 = {
    "H100 PCIe": 756e12, "H100 NVL": 835e12, "RTX 6000 Ada": 364e12, "RTX 4090": 165e12, "RTX 3090": 71e12,
    "H100": 989e12, "H200": 989e12, "GH200": 989e12, "B200": 2250e12, "A100": 312e12, "A800": 312e12, "L40S": 362e12,
    "A10G": 70e12, "L4": 121e12,
}


def peak_flops(device: str, arithmetic: str | None) -> float | None:
    """What a GPU of this name can do in a second; None where that is not known.

    Args:
        device: as the driver says it, such as "NVIDIA H100 80GB HBM3".
        arithmetic: "bfloat16", "tf32" or None.
    """
    if arithmetic is None:
        return None
    words = f"{device} ".replace("-", " ")
    full = next((flops for name, flops in _BFLOAT16.items() if f"{name} " in words), None)
    return full if full is None or arithmetic == "bfloat16" else full / 2
