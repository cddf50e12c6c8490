"""The iterable pipes against torch: samples, lengths, random states, warnings, errors, pickles."""

import pytest

from tests.utils.data.datapipes.running import checked

PIPES = {
    "wrapper": "(list(ten()), len(ten()), str(ten()), repr(ten()), list(ten()))",
    "wrapper copies": "(x := [[1]], p := wrap(x), next(iter(p)).append(2), list(p), x)[3:]",
    "wrapper does not copy": "(x := [[1]], p := wrap(x, deepcopy=False), next(iter(p)).append(2), list(p), x)[3:]",
    "wrapper of what has no copy": "list(wrap(x for x in range(3)))",
    "wrapper without a length": "len(wrap(x for x in range(3)))",
    "wrapper of no iterable": "drained(wrap(3))",
    "wrapper of text": "list(wrap('abc'))",
    "map": "(list(ten().map(double)), len(ten().map(double)), list(I.Mapper(ten(), double)))",
    "map lambda": "list(ten().map(lambda x: x + 1))",
    "map local": "list(ten().map((lambda: (lambda x: x + 1))()))",
    "map partial": "list(ten().map(functools.partial(add, y=5)))",
    "map partial of a lambda": "list(ten().map(functools.partial(lambda x: x)))",
    "map builtin": "list(wrap('12').map(int))",
    "map a class": "list(ten().map(str))",
    "map no function": "ten().map(3)",
    "map one column": "list(wrap([[1, 2], [3, 4]]).map(double, input_col=1))",
    "map one column of tuples": "list(wrap([(1, 2), (3, 4)]).map(double, 0))",
    "map to a column": "list(wrap([(1, 2), (3, 4)]).map(double, 0, 1))",
    "map to the end": "list(wrap([(1, 2), (3, 4)]).map(double, 0, -1))",
    "map to a listed column": "list(wrap([(1, 2), (3, 4)]).map(double, 0, [1]))",
    "map to two columns": "list(wrap([(1, 2), (3, 4)]).map(double, 0, [1, 0]))",
    "map two columns": "list(wrap([(1, 2, 3), (3, 4, 5)]).map(add, [2, 0]))",
    "map two columns to the end": "list(wrap([[1, 2, 3], [3, 4, 5]]).map(add, (2, 0), -1))",
    "map keys": "list(wrap([{'a': 1, 'b': 2}]).map(add, ['a', 'b'], 'c'))",
    "map a key": "list(wrap([{'a': 1, 'b': 2}]).map(double, 'a'))",
    "map column out of range": "drained(wrap([(1, 2)]).map(double, 5))",
    "map output without input": "ten().map(double, output_col=1)",
    "map too many columns": "ten().map(double, [0, 1])",
    "map too few columns": "ten().map((lambda a, b: a), [0])",
    "map keyword only": "ten().map(functools.partial(lambda *, a: a))",
    "map variable": "list(wrap([(1, 2, 3)]).map((lambda *a: sum(a)), [0, 1, 2]))",
    "map fails": "drained(ten().map(fail_at_two))",
    "map fails without text": "drained(ten().map(fail_without_text).filter(is_even))",
    "map without a length": "len(wrap(x for x in range(3)).map(double))",
    "collate": "list(wrap([[1, 2], [3, 4]]).collate())",
    "collate by a function": "list(wrap([[1, 2]]).collate(sum))",
    "collate by both": "list(wrap([[1, 2]]).collate(conversion=sum, collate_fn=max))",
    "collate frames that are none": "drained(wrap([[1, 2]]).collate({'a': double}))",
    "collate a chunk": "drained(wrap([D.DataChunk([1, 2])]).collate({'a': double}))",
    "collate one frame without pandas": "drained(wrap([D.DataChunk([1])]).collate({'a': double}))",
    "filter": "list(ten().filter(is_even))",
    "filter a column": "list(wrap([(1, 2), (2, 3)]).filter(is_even, 1))",
    "filter two columns": "list(wrap([(1, 2), (2, 3)]).filter((lambda a, b: a + b > 3), [0, 1]))",
    "filter a key": "list(wrap([{'a': 1}, {'a': 2}]).filter(is_even, 'a'))",
    "filter no bool": "drained(ten().filter(parity))",
    "filter has no length": "len(ten().filter(is_even))",
    "filter no function": "ten().filter('x')",
    "filter closes streams": "(s := common.StreamWrapper(io.StringIO()), list(wrap([[s]], deepcopy=False).filter("
                             "functools.partial(lambda b, x: b, False))), s.closed)[1:]",
    "sampler": "(list(I.Sampler(ten())), len(I.Sampler(ten())))",
    "sampler at random": "list(I.Sampler(ten(), D.RandomSampler))",
    "sampler with arguments": "list(I.Sampler(ten(), D.RandomSampler, sampler_kwargs={'replacement': True}))",
    "sampler positional": "list(I.Sampler(ten(), sampler_args=(1,)))",
    "sampler without length": "I.Sampler(wrap(x for x in range(3)))",
    "shuffle": "(p := ten().shuffle(), list(p), list(p), len(p))[1:]",
    "shuffle with a seed": "(p := ten().shuffle().set_seed(3), list(p), list(p))[1:]",
    "shuffle a little": "list(ten().shuffle(buffer_size=3).set_seed(3))",
    "shuffle by one": "list(ten().shuffle(buffer_size=1))",
    "shuffle switched off": "list(ten().shuffle().set_shuffle(False))",
    "shuffle a batch": "list(ten().batch(3).shuffle(unbatch_level=1).set_seed(0))",
    "shuffle no buffer": "ten().shuffle(buffer_size=0)",
    "shuffle positional": "ten().shuffle(3)",
    "shuffle without length": "len(wrap(x for x in range(3)).shuffle())",
    "shuffle broken off": "(p := ten().shuffle().set_seed(1), drained(iter(p), 3), list(p))[1:]",
    "concat": "(list(ten().concat(wrap('ab'))), len(ten().concat(ten())), list(I.Concater(ten())))",
    "concat nothing": "I.Concater()",
    "concat a list": "ten().concat([1])",
    "concat without length": "len(ten().concat(wrap(x for x in range(3))))",
    "zip": "(list(ten().zip(wrap('ab'))), len(ten().zip(wrap('ab'))), list(I.Zipper()))",
    "zip a list": "ten().zip([1])",
    "zip without length": "len(ten().zip(wrap(x for x in range(3))))",
    "mux": "(list(ten().mux(wrap('ab'), wrap('cde'))), len(ten().mux(wrap('ab'))), list(I.Multiplexer()))",
    "mux a list": "list(ten().mux([1, 2]))",
    "mux without length": "len(ten().mux(wrap(x for x in range(3))))",
    "mux of none has no length": "len(I.Multiplexer())",
    "batch": "(list(ten().batch(3)), len(ten().batch(3)), [type(b).__name__ for b in ten().batch(6)])",
    "batch, dropping": "(list(ten().batch(3, drop_last=True)), len(ten().batch(3, True)))",
    "batch of another class": "list(ten().batch(4, wrapper_class=tuple))",
    "batch of none": "ten().batch(0)",
    "batch without length": "len(wrap(x for x in range(3)).batch(2))",
    "unbatch": "list(ten().batch(2).batch(2).unbatch())",
    "unbatch two": "list(ten().batch(2).batch(2).unbatch(unbatch_level=2))",
    "unbatch all": "list(ten().batch(2).batch(2).unbatch(-1))",
    "unbatch nothing": "list(ten().batch(2).unbatch(0))",
    "unbatch too much": "drained(ten().batch(2).unbatch(2))",
    "unbatch minus two": "drained(ten().unbatch(-2))",
    "unbatch has no length": "len(ten().unbatch())",
    "groupby": "list(ten().groupby(parity))",
    "groupby with keys": "list(ten().groupby(parity, keep_key=True))",
    "groupby size": "list(ten().groupby(parity, group_size=2))",
    "groupby size with keys": "list(ten().groupby(parity, group_size=2, keep_key=True))",
    "groupby buffer": "list(ten().groupby(parity, buffer_size=3))",
    "groupby buffer with keys": "list(ten().groupby(parity, buffer_size=3, keep_key=True))",
    "groupby buffer and size": "list(ten().groupby(parity, buffer_size=4, group_size=3, guaranteed_group_size=2))",
    "groupby overflow": "drained(ten().groupby(double, buffer_size=4, group_size=3))",
    "groupby dropping": "list(ten().groupby(double, buffer_size=4, group_size=3, drop_remaining=True))",
    "groupby too large": "ten().groupby(parity, buffer_size=2, group_size=3)",
    "groupby guarantee alone": "ten().groupby(parity, guaranteed_group_size=3)",
    "groupby lambda": "list(ten().groupby(lambda x: 0))",
    "groupby again": "(p := ten().groupby(parity), drained(iter(p), 1), list(p))[1:]",
    "sharding": "[(p := ten().sharding_filter(), p.apply_sharding(3, i), list(p), len(p))[2:] for i in range(3)]",
    "sharding not applied": "(list(ten().sharding_filter()), len(ten().sharding_filter()))",
    "sharding number": "ten().sharding_filter().apply_sharding(2, 2)",
    "sharding groups": "[(p := ten().sharding_filter(), S := I.sharding.SHARDING_PRIORITIES, p.apply_sharding(2, i, S.DISTRIBUTED),"
                       " p.apply_sharding(3, j, S.MULTIPROCESSING), list(p), len(p))[4:] for i in range(2) for j in range(3)]",
    "sharding groups filtered": "(S := I.sharding.SHARDING_PRIORITIES, p := ten().sharding_filter(S.DISTRIBUTED),"
                                " p.apply_sharding(2, 1, S.DISTRIBUTED), p.apply_sharding(3, 1, S.MULTIPROCESSING), list(p))[4:]",
    "sharding groups mixed": "[raised(lambda: (p := ten().sharding_filter(), p.apply_sharding(2, 1, a), p.apply_sharding(2, 1, b)))"
                             " for a in (1, 2) for b in (1, 2, 3)]",
    "sharding without length": "len(wrap(x for x in range(3)).sharding_filter())",
    "sharding base": "I.sharding._ShardingIterDataPipe().apply_sharding(1, 0, 1)",
    "priorities": "[(p.name, p.value) for p in I.sharding.SHARDING_PRIORITIES]",
    "unknown name": "ten().nothing",
    "names": "sorted(name for name in D.IterDataPipe.functions)",
    "dir": "sorted({'map', 'batch', 'fork', 'reset'} & set(dir(ten())))",
    "docs of methods": "bool(ten().map.__doc__)",
    "registered twice": "D.functional_datapipe('map')(type('P', (D.IterDataPipe,), {}))",
    "register a function": "(D.IterDataPipe.register_function('_own', lambda p, n: list(p)[:n]), ten()._own(2),"
                           " D.IterDataPipe.functions.pop('_own'))[1]",
    "generic": "[str(c.__mro__[1].__name__) for c in (I.Mapper, I.Collator)], D.IterDataPipe[int].__origin__.__name__",
}
FORKS = {
    "fork": "[list(p) for p in ten().fork(3)]",
    "fork lengths": "[len(p) for p in ten().fork(2)]",
    "fork in turn": "(a := ten().fork(2), list(zip(*a)))[1]",
    "fork one": "(p := ten(), p.fork(1) is p)[1]",
    "fork none": "ten().fork(0)",
    "fork buffer": "(f := ten().fork(2, buffer_size=4), drained(f[0]))[1]",
    "fork buffer enough": "(f := ten().fork(2, buffer_size=4), a := iter(f[0]), b := iter(f[1]), drained(a, 4), drained(b, 4),"
                          " drained(a), drained(b))[3:]",
    "fork without bound": "[list(p) for p in ten().fork(2, buffer_size=-1)]",
    "fork shallow": "(f := wrap([[[1]]]).fork(2, copy='shallow'), a := list(f[0])[0], b := list(f[1])[0], a is b, a[0] is b[0])[3:]",
    "fork deep": "(f := wrap([[[1]]]).fork(2, copy='deep'), a := list(f[0])[0], b := list(f[1])[0], a is b, a[0] is b[0])[3:]",
    "fork no copy": "(f := wrap([[[1]]]).fork(2), list(f[0])[0] is list(f[1])[0])[1]",
    "fork another copy": "ten().fork(2, copy='wide')",
    "fork again": "(f := ten().fork(2), list(f[0]), list(f[1]), list(f[0]), list(f[1]))[1:]",
    "fork again early": "(f := ten().fork(2), list(f[0]), list(f[0]), list(f[1]))[1:]",
    "fork invalid": "(f := ten().fork(2), a := iter(f[0]), next(a), b := iter(f[0]), drained(a), drained(b, 2), drained(f[1], 3))[4:]",
    "fork other child invalid": "(f := ten().fork(2), a := iter(f[0]), b := iter(f[1]), next(a), next(b), c := iter(f[0]), drained(b),"
                                " drained(c, 2))[6:]",
    "fork source fails": "(f := ten().map(fail_at_two).fork(2), drained(f[0]), drained(f[1]))[1:]",
    "fork and zip": "(f := ten().fork(2), list(f[0].zip(f[1].map(double))))[1]",
    "fork pickled": "(f := pickle.loads(pickle.dumps(ten().fork(2))), [list(p) for p in f])[1]",
    "fork repr": "[repr(p) for p in ten().fork(2)]",
    "fork without length": "[raised(len, p) for p in wrap(x for x in range(3)).fork(2)]",
    "demux": "[list(p) for p in ten().demux(2, parity)]",
    "demux one": "[list(p) for p in ten().demux(1, lambda x: 0)]",
    "demux none": "ten().demux(0, parity)",
    "demux no function": "ten().demux(2, 3)",
    "demux dropping": "[list(p) for p in ten().demux(2, parity_or_none, drop_none=True)]",
    "demux None": "(d := ten().demux(2, parity_or_none), drained(d[0]))[1]",
    "demux too high": "(d := ten().demux(2, double), drained(d[0]))[1]",
    "demux negative": "(d := ten().demux(2, lambda x: -1), drained(d[0]))[1]",
    "demux buffer": "(d := ten().demux(2, parity, buffer_size=2), drained(d[0]))[1]",
    "demux without bound": "[list(p) for p in ten().demux(2, parity, buffer_size=-1)]",
    "demux again": "(d := ten().demux(2, parity), list(d[0]), list(d[1]), list(d[0]), list(d[1]))[1:]",
    "demux again early": "(d := ten().demux(2, parity), list(d[0]), list(d[0]), list(d[1]))[1:]",
    "demux broken off": "(d := ten().demux(2, parity), a := iter(d[0]), next(a), b := iter(d[1]), next(b), a.close(), drained(b))[5:]",
    "demux invalid": "(d := ten().demux(2, parity), a := iter(d[0]), next(a), b := iter(d[0]), drained(a))[4]",
    "demux has no length": "[raised(len, p) for p in ten().demux(2, parity)]",
    "demux pickled": "(d := pickle.loads(pickle.dumps(ten().demux(2, parity))), [list(p) for p in d])[1]",
    "demux by itself": "combining._DemultiplexerIterDataPipe(ten(), 2, parity, False, 3)._find_next(0)",
    "child of nothing": "combining._ChildDataPipe(ten(), 0)",
}
ITERATORS = {
    "second invalidates": "(p := ten(), a := iter(p), next(a), b := iter(p), next(b), drained(a), drained(b))[4:]",
    "started late": "(p := ten(), a := iter(p), b := iter(p), next(a), drained(b, 2), drained(a))[3:]",
    "through another": "(p := ten(), q := p.map(double), a := iter(q), next(a), list(p), drained(a))[4:]",
    "counted": "(p := ten(), a := iter(p), next(a), next(a), p._number_of_samples_yielded, p._valid_iterator_id, list(p),"
               " p._number_of_samples_yielded, p._valid_iterator_id)[4:]",
    "state": "(p := ten(), p._snapshot_state.name, next(iter(p)), p._snapshot_state.name)[1:]",
    "partial in the name": "drained(ten().map(functools.partial(fail_at_two)).batch(2))",
    "no text": "(p := wrap([1]).map(fail_without_text), drained(p))[1]",
    "sent to": "(p := ten(), a := iter(p), next(a), a.send(3), next(a))[3:]",
    "closed": "(p := ten(), a := iter(p), next(a), a.close(), drained(a))[4:]",
    "pickled": "(p := pickle.loads(pickle.dumps(ten().map(double).shuffle().set_seed(1).batch(2))), list(p))[1]",
    "pickled inside": "(p := ten().shuffle().set_seed(1), a := iter(p), next(a), q := pickle.loads(pickle.dumps(p)),"
                      " q._number_of_samples_yielded, list(q.set_seed(2)))[4:]",
    "all pickled": "[list(pickle.loads(pickle.dumps(p)))[:4] for p in (ten().filter(is_even), ten().zip(ten()), ten().mux(ten()),"
                   " ten().concat(ten()), ten().groupby(parity), ten().sharding_filter(), ten().batch(2).unbatch())]",
    "lambda not pickled": "raised(pickle.dumps, ten().map(lambda x: x))[0]",
    "deep copy": "(p := ten().map(double), q := copy.deepcopy(p), next(iter(p)), list(q), q._valid_iterator_id)[3:]",
    "restored": "(p := ten().shuffle(), g := t.Generator().manual_seed(3), U.snapshot._simple_graph_snapshot_restoration(p, 4, g),"
                " p._snapshot_state.name, list(p), p._snapshot_state.name)[3:]",
    "restored and mapped": "(p := ten(), U.snapshot._simple_graph_snapshot_restoration(p, 4), list(p.map(double)), list(p))[2:]",
    "restored twice": "(p := ten(), U.snapshot._simple_graph_snapshot_restoration(p, 4),"
                      " U.snapshot._simple_graph_snapshot_restoration(p, 4))",
    "restored too far": "U.snapshot._simple_graph_snapshot_restoration(ten(), 11)",
    "restored child": "(f := ten().fork(2), U.snapshot._simple_graph_snapshot_restoration(f[0], 3), list(f[0]))[2]",
}
FILES = {
    "list": "files(lambda f: list(I.FileLister(f)))",
    "list recursively": "files(lambda f: list(I.FileLister(f, recursive=True)))",
    "list masks": "files(lambda f: list(I.FileLister(f, ['1*', '*.json'], recursive=True)))",
    "list a mask": "files(lambda f: list(I.FileLister(f, '*.txt')))",
    "list in any order": "files(lambda f: sorted(I.FileLister(f, recursive=True, non_deterministic=True)))",
    "list a file": "files(lambda f: list(I.FileLister(f + '/1.txt', abspath=True)))",
    "list a file masked": "files(lambda f: list(I.FileLister(f + '/1.txt', 'x')))",
    "list folders": "files(lambda f: list(wrap([f, f + '/b']).list_files()))",
    "list lists": "files(lambda f: list(I.FileLister([f + '/b', f])))",
    "list nothing": "drained(I.FileLister('/none/none'))",
    "list lengths": "(raised(len, I.FileLister('.')), len(I.FileLister('.', length=3)))",
    "list a number": "drained(I.FileLister(3))",
    "read": "files(lambda f: list(I.FileLister(f, '*.txt').open_files().read_from_stream()))",
    "read bytes": "files(lambda f: list(map(str, I.FileLister(f, '*.txt').open_files('b').read_from_stream())))",
    "read in chunks": "files(lambda f: list(I.FileLister(f, '1.txt').open_files(mode='t').read_from_stream(2)))",
    "open": "files(lambda f: [(n, type(s).__name__, s.mode, s.read()) for n, s in I.FileOpener([f + '/1.txt'], encoding='utf8')])",
    "open modes": "[raised(I.FileOpener, [], m, 'utf8') for m in ('b', 'rb', 'w', 'r', 't', 'rt', 'r+')]",
    "open a number": "files(lambda f: drained(I.FileOpener([3])))",
    "open nothing": "raised(list, I.FileOpener(['/none/none']))",
    "open lengths": "(raised(len, I.FileOpener([])), len(I.FileOpener([], length=3)))",
    "read memory": "list(wrap([('a', io.StringIO('abc'))]).read_from_stream(chunk=1))",
    "decode": "files(lambda f: list(I.FileLister(f, recursive=True).open_files('b').routed_decode()))",
    "decode by own": "files(lambda f: list(I.FileLister(f, '*.txt').open_files('b').routed_decode(lambda k, d: (k, len(d)))))",
    "decode, added": "files(lambda f: (p := I.RoutedDecoder(I.FileLister(f, '*.txt').open_files('b')),"
                     " p.add_handler(lambda k, d: 3), list(p))[2:])",
    "decode length": "len(I.RoutedDecoder([1, 2]))",
    "decode without length": "len(I.RoutedDecoder(x for x in ()))",
}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # PyTorch's, where a constructor has failed
@pytest.mark.parametrize("name", PIPES)
def test_pipes(name):
    checked(PIPES[name])


@pytest.mark.parametrize("name", FORKS)
def test_pipes_with_several_results(name):
    checked(FORKS[name])


@pytest.mark.parametrize("name", ITERATORS)
def test_iterators(name):
    checked(ITERATORS[name])


@pytest.mark.parametrize("name", FILES)
def test_files(name):
    checked(FILES[name])


def test_a_planted_error_is_seen():
    with pytest.raises(AssertionError):
        checked("list(ten().map(double) if t.__name__ == 'torch' else ten())")
