"""Lets the operators of wheels that are linked with PyTorch's CUDA libraries load beside its build for the CPU.

The wheels of torchvision and torchaudio on PyPI have their operators for the CPU and for CUDA in one library, which the
CPU's PyTorch cannot load: it has no libc10_cuda.so and libtorch_cuda.so. What is computed on the CPU calls nothing of
those two, so libraries of their names do in which each function that is asked for ends the process.
"""

import importlib.util
import os
import re
import subprocess
from pathlib import Path

WHEELS = ("torchvision", "torchaudio")
NAMES = re.compile(rb"_ZNK?(?:3c10|2at)4cuda\w+|(?:aoti_)?torch_\w*cuda\w+")
COUNT = "_ZN3c104cuda12device_countEv"  # is called as they load


def environment(folder) -> dict:
    """The environment of a process with torch, in which the wheels' operators load.

    Args:
        folder: where to write libraries.

    Returns:
        Its variables: those of this process where nothing is missing.
    """
    places = [place for wheel in WHEELS if (place := package(wheel))]
    if not places or not package("torch") or (package("torch") / "lib" / "libtorch_cuda.so").exists():
        return dict(os.environ)
    names = {name.decode() for place in places for path in place.rglob("*.so") for name in NAMES.findall(path.read_bytes())}
    lines = [f"int {name}(void) {{ {'' if name == COUNT else '__builtin_trap();'} return 0; }}" for name in sorted(names)]
    for library, text in {"libc10_cuda.so": "\n".join(lines), "libtorch_cuda.so": ""}.items():
        subprocess.run(["cc", "-shared", "-fPIC", f"-Wl,-soname,{library}", "-o", Path(folder) / library, "-xc", "-"],
                       input=text, text=True, check=True)
    paths = [str(folder), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    return {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(paths)}


def package(name) -> Path | None:
    """The folder of a package, which is not imported; None if there is none."""
    found = importlib.util.find_spec(name)
    return Path(found.origin).parent if found and found.origin else None
