"""`torchlike.install`: the name torch gives torchlike's own modules, unknown names say what is nearest."""

import importlib.metadata
import importlib.util
import pickle
import subprocess
import sys

import pytest
import torch as real

import torchlike
from tests.speed import case
from torchlike._base import unknown_names
from torchlike.install import install
from torchlike.nn import functional


@pytest.fixture
def installed():
    """torchlike under the name torch; the tests' own PyTorch is set aside meanwhile."""
    with torchlike.install(force=True):
        yield
    assert sys.modules["torch"] is real


def run(source: str) -> dict:
    names: dict = {}
    exec(source, names)
    return names


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("source", "module"), [
    ("import torch as it", "torchlike"),
    ("import torch.nn as it", "torchlike.nn"),
    ("import torch.nn.functional as it", "torchlike.nn.functional"),
    ("from torch import nn as it", "torchlike.nn"),
    ("from torch.nn import functional as it", "torchlike.nn.functional"),
    ("from torch.nn.modules import linear as it", "torchlike.nn.modules.linear"),
    ("import torch.nn.modules.linear; it = torch.nn.modules.linear", "torchlike.nn.modules.linear"),
    ("from torch import autograd as it", "torchlike.autograd"),
])
def test_modules_are_the_same_objects(source, module):
    own = importlib.import_module(module)
    spec = own.__spec__
    assert run(source)["it"] is own
    assert own.__spec__ is spec
    assert spec.name == module
    assert own.__name__ == ("torch" if module == "torchlike" else module)  # packages look for torch's name in texts


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", ["nn.utils.weight_norm", "nn.parallel.data_parallel", "autograd.variable",
                                  "multiprocessing.spawn"])
def test_import_of_a_module_leaves_the_function_of_its_name(name):
    names = run(f"import torch.{name} as it\nimport torch\nfound = torch.{name}")
    assert callable(names["found"]) and names["it"] is names["found"]
    assert run(f"import torch.{name}, sys\nit = sys.modules['torch.{name}']")["it"] is sys.modules[f"torchlike.{name}"]


@pytest.mark.usefixtures("installed")
def test_classes_have_one_identity():
    names = run("from torch import Tensor\nfrom torch.nn.modules.linear import Linear\nimport torch")
    assert names["Tensor"] is torchlike.Tensor
    assert names["Linear"] is torchlike.nn.Linear
    assert isinstance(names["torch"].ones(2), torchlike.Tensor)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("source", "error", "parts"), [
    ("import torch\ntorch.oness", AttributeError, ["module 'torch' has no attribute 'oness'", "'ones'"]),
    ("import torch.nn as nn\nnn.Linaer", AttributeError, ["module 'torch.nn' has no attribute", "'Linear'"]),
    ("import torch.nn.functional as F\nF.rellu", AttributeError, ["'torch.nn.functional'", "'relu'"]),
    ("import torch\ntorch.nn.Linaer", AttributeError, ["module 'torch.nn' has no attribute", "'Linear'"]),
    ("from torch import oness", ImportError, ["torch.oness", "'ones'"]),
    ("from torch.nn import Linaer", ImportError, ["torch.nn.Linaer", "'Linear'"]),
    ("from torch.nn.functional import rellu", ImportError, ["torch.nn.functional.rellu", "'relu'"]),
    ("import torch.nn.functionall", ModuleNotFoundError, ["torch.nn.functionall", "'functional'"]),
    ("import torch.qqqqqqq.x", ModuleNotFoundError, ["torch.qqqqqqq", "nothing near"]),
])
def test_unknown_name_says_what_is_nearest(source, error, parts):
    with pytest.raises(error) as caught:
        run(source)
    text, note = parts
    assert text in str(caught.value) and "near" not in str(caught.value)
    assert [note in line for line in caught.value.__notes__] == [True]


@pytest.mark.usefixtures("installed")
def test_packages_find_torch_before_they_import_it():
    assert importlib.util.find_spec("torch") is not None
    assert importlib.util.find_spec("torch.nn.functional") is not None
    assert importlib.metadata.version("torch") == torchlike.__version__ != real.__version__
    assert importlib.metadata.metadata("torch")["Name"] == "torch"
    assert not importlib.metadata.files("torch") and not importlib.metadata.distribution("torch").entry_points
    assert importlib.metadata.version("pytest") == pytest.__version__
    names = [found.metadata["Name"] for found in importlib.metadata.distributions()]
    assert names[0] == "torch" and "pytest" in names


def test_metadata_is_gone_with_uninstall():
    assert importlib.metadata.version("torch") == real.__version__


def test_real_torch_is_refused_without_force():
    with pytest.raises(RuntimeError, match="already imported"):
        torchlike.install()
    assert sys.modules["torch"] is real


def test_uninstall_restores_everything():
    before = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "torch"}
    finders, attributes = list(sys.meta_path), set(vars(functional))
    torchlike.install(force=True)
    run("import torch.nn.functional as F")
    assert set(vars(functional)) != attributes
    torchlike.uninstall()
    after = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "torch"}
    assert (after, list(sys.meta_path), set(vars(functional))) == (before, finders, attributes)
    torchlike.uninstall()  # twice is no error


@pytest.mark.usefixtures("installed")
def test_inner_block_leaves_the_outer_install():
    with install():
        assert run("import torch")["torch"] is torchlike
    assert run("import torch")["torch"] is torchlike


def test_error_in_the_block_uninstalls():
    with pytest.raises(ZeroDivisionError), torchlike.install(force=True):
        1 / 0  # noqa: B018 - only the exception matters
    assert sys.modules["torch"] is real


@pytest.mark.parametrize(("name", "found"), [
    ("Sin", ["sin"]), ("cross_entrpy", ["cross_entropy"]), ("zzz", []),
])
def test_nearest(name, found):
    assert unknown_names.nearest(name, ["sin", "cross_entropy", "_sin", "matmul"]) == found


def test_special_names_are_not_searched():
    error = unknown_names.missing("torch", "__path__", ["__paths__"])
    assert str(error) == "module 'torch' has no attribute '__path__'"


# -- names in pickles, across processes

_SENT = """
import multiprocessing
import {package} as torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.kind, self.function = torch.nn.Linear(2, 2), torch.nn.ReLU, torch.relu

    def forward(self, x):
        return self.function(self.layer(x)).sum()

def run(queue, net, function):
    queue.put((repr(torch.nn.Linear), net.kind is torch.nn.ReLU, function(net(torch.ones(1, 2))) >= 0))

if __name__ == "__main__":
    for method in ("spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        queue = context.SimpleQueue()
        process = context.Process(target=run, args=(queue, Net(), torch.relu))
        process.start()
        print(*queue.get())
        process.join()
"""


@pytest.mark.parametrize(("package", "command"), [
    case("torch", ["-m", "torchlike", "run"]), case("torchlike", [], ci=False)])
def test_new_processes_find_what_they_are_sent(tmp_path, package, command):
    program = tmp_path / "program.py"
    program.write_text(_SENT.format(package=package))
    told = subprocess.run([sys.executable, *command, str(program)], check=True, capture_output=True, text=True, timeout=300)
    assert told.stdout.splitlines() == [f"<class '{package}.nn.modules.linear.Linear'> True tensor(True)"] * 2


def test_pickles_beside_a_pytorch():
    made = torchlike.nn.Sequential(torchlike.nn.Linear(2, 2), torchlike.nn.ReLU())
    read = pickle.loads(pickle.dumps((made, torchlike.nn.Linear, torchlike.add, torchlike.float32, torchlike.FloatTensor)))
    assert type(read[0][0]) is torchlike.nn.Linear
    assert read[1:] == (torchlike.nn.Linear, torchlike.add, torchlike.float32, torchlike.FloatTensor)
    theirs = real.nn.Linear(2, 2)
    with torchlike.install(force=True):
        assert type(pickle.loads(pickle.dumps(made))[0]) is torchlike.nn.Linear
    assert type(pickle.loads(pickle.dumps(theirs))) is real.nn.Linear


def test_a_tensor_that_goes_by_torchs_name_is_still_ours():
    with torchlike.install(force=True), pytest.raises(TypeError, match=r"must be a torch\.Tensor"):
        torchlike.from_torch(torchlike.ones(2))


@pytest.mark.slow
def test_whether_there_is_pytorch_whoever_has_its_name(tmp_path):
    """Without PyTorch, `import torch` may find torchlike, or a folder that only has its name."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("")
    code = ("import sys\nfrom torchlike.install import has_pytorch, install\ninstall()\nimport torch\n"
            "print(has_pytorch())\nhas_pytorch.cache_clear()\nsys.path.insert(0, sys.argv[1])\nprint(has_pytorch())")
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]
