"""``python -m compat.cuda_stand_ins TORCH``: lets a PyTorch built for CUDA be imported where CUDA's libraries are missing.

The index has PyTorch for the CPU alone for few Pythons; its other wheels are linked with a dozen libraries of CUDA, several
GB in all, and a comparison on the CPU calls none of them. This command compiles libraries of the same names with the
functions that PyTorch asks for: each returns CUDA's error "no device". TORCH is the folder of the installed package, whose
``lib`` gets them. The command needs a C compiler and binutils.
"""

import argparse
import collections
import re
import subprocess
import tempfile
from pathlib import Path

_NO_DEVICE = 100  # cudaErrorNoDevice
_AT_LOAD = "__cuda"  # functions of this prefix register code as a library loads: they return null


def write(torch: Path) -> list[str]:
    """Write the libraries that PyTorch's own are linked with and that are not found.

    Args:
        torch: the folder of the package.

    Returns:
        Their names.

    Raises:
        subprocess.CalledProcessError: the compiler or binutils fail.
    """
    folder = torch / "lib"
    libraries = sorted(folder.glob("*.so*"))
    needed = {name for path in libraries for name in re.findall(r"NEEDED.*\[(.+)\]", _printed("readelf", "-d", path))}
    missing = sorted(name for name in needed if not (folder / name).exists() and not _found_by_loader(name))
    nodes = _version_nodes(libraries)
    functions = _functions(libraries, missing, nodes)
    for name in missing:
        _compile(folder / name, functions[name], nodes.get(name))
    return missing


def _printed(*command) -> str:
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def _found_by_loader(name: str) -> bool:
    return re.search(rf"\b{re.escape(name)} ", _printed("/sbin/ldconfig", "-p")) is not None


def _version_nodes(libraries) -> dict[str, str]:
    """{library: the version that PyTorch asks of it}, of those that have versions."""
    found = {}
    for path in libraries:
        text = _printed("readelf", "-W", "--version-info", path)
        for name, entries in re.findall(r"Version: 1  File: (\S+)  Cnt: \d+\n((?:.*Name: .*\n)*)", text):
            versions = re.findall(r"Name: (\S+)", entries)
            found[name] = versions[0]
    return found


def _functions(libraries, missing, nodes) -> dict[str, set[str]]:
    """{library: the functions to put there}. A function without a version may be in any: the first gets it."""
    owners = {node: name for name, node in nodes.items() if name in missing}
    defined = {line.split()[-1].partition("@")[0] for path in libraries
               for line in _printed("nm", "-D", "--defined-only", path).splitlines() if line.strip()}
    found: dict[str, set[str]] = collections.defaultdict(set)
    for path in libraries:
        for line in _printed("nm", "-D", "--undefined-only", path).splitlines():
            kind, symbol = line.split()[-2:]
            name, _, version = symbol.partition("@")
            version = version.lstrip("@")
            is_ours = version in owners if version else name not in defined and not name.startswith("_Z")
            if kind == "U" and is_ours:
                found[owners.get(version, missing[0] if missing else "")].add(name)
    return found


def _compile(path: Path, functions: set[str], node: str | None) -> None:
    lines = [f"long {name}(void) {{ return {0 if name.startswith(_AT_LOAD) else _NO_DEVICE}; }}"
             for name in sorted(functions)]
    options = ["-shared", "-fPIC", "-nostdlib", "-w", f"-Wl,-soname,{path.name}"]
    with tempfile.TemporaryDirectory() as folder:
        if node is not None:
            script = Path(folder) / "versions"
            script.write_text(f"{node} {{ global: {' '.join(f'{name};' for name in sorted(functions))} local: *; }};\n"
                              if functions else f"{node} {{ }};\n")
            options.append(f"-Wl,--version-script={script}")
        source = Path(folder) / "functions.c"
        source.write_text("\n".join(lines))
        subprocess.run(["cc", *options, "-o", str(path), str(source)], check=True)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m compat.cuda_stand_ins", description=__doc__.partition("\n")[0])
    parser.add_argument("torch", type=Path, help="the folder of the installed package")
    print("\n".join(write(parser.parse_args().torch)))


if __name__ == "__main__":
    main()
