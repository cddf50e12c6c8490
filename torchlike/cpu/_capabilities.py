"""What the processor can do, as the system tells it."""

import functools
import os
import pathlib
import platform
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_MARKS = re.compile(r"\((?:R|TM|C)\)", re.IGNORECASE)
_INFO = pathlib.Path("/proc/cpuinfo")
_DEVICES = pathlib.Path("/sys/devices/system/cpu")
# PyTorch's names, and Linux's where they differ
_SAME = (
    "sse", "sse2", "ssse3", "sse4_1", "sse4_2", "sse4a", "avx", "avx2", "avx_vnni", "avx512_bf16", "avx512_vbmi2",
    "avx512_vnni", "avx512_bitalg", "avx512_vpopcntdq", "avx512_vp2intersect", "avx512_fp16", "avx512_4vnniw",
    "avx512_4fmaps", "amx_fp16", "amx_tile", "amx_int8", "amx_bf16", "avx_ne_convert", "avx_vnni_int8", "avx_vnni_int16",
    "avx10_1", "avx10_2", "f16c", "bmi", "bmi2", "popcnt", "aes", "sha", "clflush", "clflushopt", "clwb", "fma4")
_X86 = {name: name for name in _SAME}
_X86 |= {"sse3": "pni", "fma3": "fma", "lzcnt": "abm", "sha": "sha_ni", "bmi": "bmi1", "avx512_f": "avx512f",
         "avx512_cd": "avx512cd", "avx512_dq": "avx512dq", "avx512_bw": "avx512bw", "avx512_vl": "avx512vl",
         "avx512_ifma": "avx512ifma", "avx512_vbmi": "avx512vbmi"}
_UNITS = {"K": 1 << 10, "M": 1 << 20}


def _fields() -> dict[str, str]:
    """What Linux tells of the first processor; {} elsewhere."""
    try:
        first = _INFO.read_text().partition("\n\n")[0]
    except OSError:
        return {}
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in first.splitlines())}


def _cache(level: int, kinds: tuple) -> int | None:
    """The bytes of the first processor's cache of a level."""
    for found in sorted((_DEVICES / "cpu0" / "cache").glob("index*")):
        try:
            told = {name: (found / name).read_text().strip() for name in ("level", "type", "size")}
        except OSError:
            continue
        if told["level"] == str(level) and told["type"] in kinds:
            return int(told["size"].rstrip("KM")) * _UNITS.get(told["size"][-1], 1)
    return None


def _different(name: str) -> int:
    """How many different values the processors have of a part of their place."""
    places: list = []
    for processor in sorted(_DEVICES.glob("cpu[0-9]*")):
        try:
            texts = [(processor / "topology" / part).read_text().strip() for part in ("physical_package_id", "core_id")]
        except OSError:
            continue
        places.append(tuple(texts) if name == "core" else texts[0])
    return len(set(places))


@functools.cache
def get_capabilities() -> Mapping[str, Any]:
    """What the processor can do: its instruction sets as bools by name, its caches in bytes, how many cores there are. Of
    instruction sets Linux on x86 tells; elsewhere they are not in it.
    https://pytorch.org/docs/stable/generated/torch.cpu.get_capabilities.html

    Returns:
        a mapping that cannot be changed.
    """
    fields, machine = _fields(), platform.machine()
    logical = os.cpu_count() or 1
    flags = fields.get("flags", "").split()
    found: dict[str, Any] = {"architecture": machine, "cpu_name": short_name(fields.get("model name", platform.processor())),
                             "num_sockets": _different("socket") or 1, "num_physical_cores": _different("core") or logical,
                             "num_logical_cores": logical}
    caches = {"l1d_cache_size": _cache(1, ("Data", "Unified")), "l2_cache_size": _cache(2, ("Data", "Unified"))}
    found |= {name: size for name, size in caches.items() if size is not None}
    if flags:
        found |= {name: linux in flags for name, linux in _X86.items()}
    return MappingProxyType(found)


def short_name(name: str) -> str:
    """A processor's name without marks, frequency and words that all of them have: "Intel Xeon" of "Intel(R) Xeon(R)
    Processor". PyTorch's library, cpuinfo, leaves out more of rare names."""
    words = _MARKS.sub("", name).partition("@")[0].split()
    return " ".join(word for word in words if word not in ("CPU", "Processor"))


def _question(name: str, instructions: str):
    def ask() -> bool:
        return get_capabilities().get(instructions, False)

    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = f"Whether the processor has {instructions}."
    return ask


_is_amx_fp16_supported = _question("_is_amx_fp16_supported", "amx_fp16")
_is_amx_tile_supported = _question("_is_amx_tile_supported", "amx_tile")
_is_avx2_supported = _question("_is_avx2_supported", "avx2")
_is_avx512_bf16_supported = _question("_is_avx512_bf16_supported", "avx512_bf16")
_is_avx512_supported = _question("_is_avx512_supported", "avx512_f")
_is_vnni_supported = _question("_is_vnni_supported", "avx512_vnni")
