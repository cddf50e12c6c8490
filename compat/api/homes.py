"""The text of the table of homes: under which module's and which own name PyTorch has each function and class.

``python -m compat.api.homes`` prints it: it needs both packages as a whole, so it is a process of its own.
"""

import collections
import functools
import importlib
import pkgutil
import subprocess
import sys
import textwrap
import types
import warnings

from compat.api import later

PATH = "torchlike/_api/generated/homes.py"
_HEAD = '''"""PyTorch's module and own name of each public function and class, and of methods that it defines elsewhere.

Written by ``python -m compat.api``: do not edit.
"""

'''
_OURS, _THEIRS = "torchlike", "torch"
_NOT_PYTORCHS = ("__main__", "_diff", "interop", "site", "cli", "install", "tensorboard")
_WIDTH = 112


def texts() -> dict:
    """{path below the root: text}."""
    command = [sys.executable, "-W", "ignore", "-m", "compat.api.homes"]
    return {PATH: subprocess.run(command, check=True, capture_output=True, text=True).stdout}


def text() -> str:
    """The module: {PyTorch's module, without ``torch``: names}."""
    found = collections.defaultdict(set)
    for home, path in (*homes(), *methods(), *later.homes()):
        found[home.removeprefix(_THEIRS)].add(path)
    lines = [line for home in sorted(found) for line in _lines(home, sorted(found[home]))]
    return _HEAD + "HOMES = {\n" + "\n".join(lines) + "\n}\n"


def _lines(home, names) -> list:
    pieces = textwrap.wrap(" ".join(names), _WIDTH, break_on_hyphens=False)
    texts = [f'"{piece} "' for piece in pieces[:-1]] + [f'"{pieces[-1]}"']
    return [f'    "{home}":'] + [f"        {each}" for each in texts[:-1]] + [f"        {texts[-1]},"]


@functools.cache
def homes() -> dict:
    """{(PyTorch's module, own name): our object}: where torchlike shows it, too. Else where both packages show it."""
    exact, shown = collections.defaultdict(set), collections.defaultdict(set)
    objects = {}
    for place, name, theirs, ours in shared():
        objects[id(ours)] = ours
        if at_home(theirs) is ours:
            exact[id(ours)].add(_home(theirs))
        elif resolved(place, name) is ours:
            shown[id(ours)].add((place, name))
    found = {}
    for key, ours in objects.items():
        candidates = exact[key] or shown[key]
        if candidates:
            found[min(candidates, key=lambda pair, ours=ours: _unlikely(pair, ours))] = ours
    return found


def _home(known) -> tuple:
    return known.__module__, known.__qualname__ if isinstance(known, type) else known.__name__


def at_home(known):
    """What torchlike has where a function or class of PyTorch's is at home."""
    return resolved(*_home(known))


def theirs(module) -> str:
    """PyTorch's name of a module of either package."""
    root, dot, rest = module.partition(".")
    return (_THEIRS if root == _OURS else root) + dot + rest


def _unlikely(pair, ours) -> tuple:
    """Which of several homes is the last to choose: another name than the one that it is defined by, inner modules."""
    home, name = pair
    defined = ours.__qualname__ if isinstance(ours, type) else ours.__code__.co_name
    return name != defined, "._" in home, home.count("."), home, name


def shared():
    """(module, name, PyTorch's object, ours) of the functions and classes that both packages have in a module."""
    for place, theirs, ours in modules():
        for name, value in list(vars(ours).items()):
            if name.startswith("__") or not isinstance(value, type | types.FunctionType):
                continue
            known = getattr(theirs, name, None)
            if _is_of(known, _THEIRS) and _is_of(value, _OURS, _THEIRS):
                yield place, name, known, value


def modules():
    """(name, PyTorch's module, ours) of those that both packages have."""
    ours = importlib.import_module(_OURS)
    for name in dir(ours):
        getattr(ours, name)  # some are imported when they are asked for
    for found in pkgutil.walk_packages(sys.modules[_OURS].__path__, f"{_OURS}."):
        if not set(found.name.split(".")) & set(_NOT_PYTORCHS):
            importlib.import_module(found.name)
    for name in sorted(name for name in sys.modules if name.split(".")[0] == _OURS):
        place = _THEIRS + name[len(_OURS):]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs = importlib.import_module(place)
        except ImportError:
            continue
        yield place, theirs, sys.modules[name]


def _is_of(value, *packages) -> bool:
    callables = (type, types.FunctionType, types.BuiltinFunctionType)
    return isinstance(value, callables) and (getattr(value, "__module__", None) or "").split(".")[0] in packages


def resolved(home, path):
    """What torchlike has under a name of PyTorch's; None if there is nothing."""
    names = vars(sys.modules.get(_OURS + home[len(_THEIRS):], types.SimpleNamespace()))
    first, *rest = path.split(".")
    return functools.reduce(lambda found, name: getattr(found, name, None), rest, names.get(first))


def methods() -> list:
    """(PyTorch's module, ``Class.method``) of the methods that PyTorch defines in a class, torchlike in nothing public."""
    claims = collections.defaultdict(set)
    public = set(map(id, homes().values()))
    for (home, path), ours in homes().items():
        theirs = getattr(sys.modules[home], path, None) if isinstance(ours, type) else None
        for name, known in vars(theirs).items() if isinstance(theirs, type) else ():
            owner = next((kind for kind in ours.__mro__ if name in vars(kind)), None)
            function, own = _plain(known), _plain(getattr(ours, name, None))
            if not (isinstance(function, types.FunctionType) and isinstance(own, types.FunctionType)) or id(own) in public:
                continue
            told = function.__module__, function.__qualname__
            is_in_place = owner is ours and own.__code__.co_qualname == told[1] and told[0] == home
            is_public = owner is not ours and id(owner) in public
            if not is_in_place and not is_public and _plain(resolved(*told)) is own and _is_of(own, _OURS, _THEIRS):
                claims[id(own)].add(told)
    return [each for claim in claims.values() if len(claim) == 1 for each in claim]


def _plain(function):
    return getattr(function, "__func__", function)


if __name__ == "__main__":
    sys.stdout.write(text())
