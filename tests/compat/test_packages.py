"""The comparison of what packages print (`python -m compat.packages` runs the packages; CI has none of them)."""

import ctypes
import os
import shutil

import pytest

from compat.packages import stand_ins
from compat.packages.__main__ import PROGRAMS, difference


@pytest.mark.parametrize(("want", "got", "same"), [
    ("loss 1.2345\n", "loss 1.2346\n", True), ("loss 1.23\n", "loss 1.25\n", False),
    ("tensor(32.)\n", "tensor(32.0000)\n", True),
    ("a nan inf\n", "a nan inf\n", True), ("a nan\n", "a 1.0\n", False), ("shape [2, 3]\n", "shape [2, 3, 1]\n", False),
    ("one\ntwo\n", "one\n", False), ("SumBackward0\n", "MeanBackward0\n", False), ("-1e-06\n", "1e-06\n", True),
])
def test_difference(want, got, same):
    assert (difference(want, got) == "") == same


def test_programs_are_plain_pytorch():
    for path in PROGRAMS.glob("use_*.py"):
        text = path.read_text()
        assert "import torch" in text
        assert "torchlike" not in text


@pytest.mark.skipif(shutil.which("cc") is None, reason="stand-ins are compiled")
def test_stand_ins(tmp_path, monkeypatch):
    wheel, torch = tmp_path / "wheel", tmp_path / "torch"
    for folder in (wheel, torch / "lib"):
        folder.mkdir(parents=True)
    names = (b"_ZN3c104cuda12device_countEv", b"_ZN2at4cuda3farEv", b"torch_set_cuda_stream", b"_ZN2at3cpuEv")
    (wheel / "_C.so").write_bytes(b"\0".join(names))
    monkeypatch.setattr(stand_ins, "package", {"torchvision": wheel, "torch": torch}.get)
    found = stand_ins.environment(tmp_path)
    assert found["LD_LIBRARY_PATH"].split(os.pathsep)[0] == str(tmp_path)
    library = ctypes.CDLL(tmp_path / "libc10_cuda.so")
    assert library._ZN3c104cuda12device_countEv() == 0
    for name in ("_ZN2at4cuda3farEv", "torch_set_cuda_stream"):
        getattr(library, name)
    with pytest.raises(AttributeError):
        library._ZN2at3cpuEv  # noqa: B018 - asked for
    (torch / "lib" / "libtorch_cuda.so").touch()  # nothing is missing
    assert stand_ins.environment(tmp_path) == dict(os.environ)
