"""The pipes by key against torch."""

import pytest

from tests.utils.data.datapipes.running import checked

PIPES = {
    "wrapper": "(list(keys()), len(keys()), str(keys()), repr(keys()), keys()[3], keys()[-1])",
    "wrapper of a dict": "(p := M.SequenceWrapper({'a': 1, 'b': 2}), p['a'], len(p))[1:]",
    "wrapper copies": "(x := [[1]], p := M.SequenceWrapper(x), x[0].append(2), list(p))[3]",
    "wrapper does not copy": "(x := [[1]], p := M.SequenceWrapper(x, deepcopy=False), x[0].append(2), list(p))[3]",
    "wrapper of what has no copy": "M.SequenceWrapper([x for x in range(3)] + [(x for x in ())])[0]",
    "wrapper out of range": "keys()[20]",
    "map": "(list(keys().map(double)), len(keys().map(double)), list(M.Mapper(keys())), keys().map(double)[3])",
    "map lambda": "list(keys().map(lambda x: x + 1))",
    "map no function": "keys().map(3)",
    "concat": "(p := keys().concat(M.SequenceWrapper('ab')), list(p), len(p), p[11], raised(p.__getitem__, 12))[1:]",
    "concat nothing": "M.Concater()",
    "concat a list": "keys().concat([1])",
    "concat without length": "keys().concat(type('P', (D.MapDataPipe,), {})())",
    "zip": "(p := keys().zip(M.SequenceWrapper('ab')), list(p), len(p), raised(p.__getitem__, 2))[1:]",
    "zip nothing": "M.Zipper()",
    "zip a list": "keys().zip([1])",
    "batch": "(list(keys().batch(3)), len(keys().batch(3)), keys().batch(3)[1], type(keys().batch(3)[0]).__name__)",
    "batch, dropping": "(list(keys().batch(3, True)), len(keys().batch(3, True)), raised(keys().batch(3, True).__getitem__, 3))",
    "batch of another class": "list(keys().batch(4, wrapper_class=tuple))",
    "batch of none": "keys().batch(0)",
    "batch without length": "len(type('P', (D.MapDataPipe,), {})().batch(2))",
    "shuffle": "(p := keys().shuffle(), list(p), list(p), len(p), type(p).__name__)[1:]",
    "shuffle with a seed": "(p := keys().shuffle().set_seed(3), list(p), list(p))[1:]",
    "shuffle keys": "list(M.SequenceWrapper({'a': 1, 'b': 2}).shuffle(indices=['b', 'a']).set_seed(1))",
    "shuffle switched off": "list(keys().shuffle().set_shuffle(False))",
    "shuffle broken off": "(p := keys().shuffle().set_seed(1), drained(iter(p), 3), list(p))[1:]",
    "shuffle pickled": "(p := pickle.loads(pickle.dumps(keys().shuffle().set_seed(3))), list(p))[1]",
    "pickled": "[list(pickle.loads(pickle.dumps(p))) for p in (keys().map(double), keys().zip(keys()), keys().batch(3))]",
    "base": "D.MapDataPipe()[0]",
    "unknown name": "keys().nothing",
    "names": "sorted(name for name in D.MapDataPipe.functions)",
    "registered twice": "D.functional_datapipe('map')(type('P', (D.MapDataPipe,), {}))",
    "register": "(D.functional_datapipe('_own')(type('P', (D.MapDataPipe,), {'__init__': lambda s, p, n: setattr(s, 'n', n)})),"
                " keys()._own(2).n, D.MapDataPipe.functions.pop('_own'))[1]",
    "register a function": "(D.MapDataPipe.register_function('_own', lambda p, n: p[n]), keys()._own(2),"
                           " D.MapDataPipe.functions.pop('_own'))[1]",
    "added": "len(keys() + keys())",
    "dir": "sorted({'map', 'batch', 'zip'} & set(dir(keys())))",
}


@pytest.mark.parametrize("name", PIPES)
def test_pipes(name):
    checked(PIPES[name])
