"""The base classes, decorators, types, graphs and what pipes share, against torch."""

import pytest

import torchlike
from compat.surface.standing import same_signature
from tests.utils.data.datapipes.running import checked

OWN = ("type('Own', (D.IterDataPipe,), {'__init__': lambda s, n: setattr(s, 'n', n), "
       "'__iter__': lambda s: iter(range(s.n)), **%s})")
COUNTER = ("type('Counter', (D.IterDataPipe,), {'n': 0, '__iter__': lambda s: s, 'reset': lambda s: setattr(s, 'n', 0), "
           "'__next__': lambda s: (setattr(s, 'n', s.n + 1), s.n)[1]})")
BASES = {
    "chunk": "(c := D.DataChunk(range(3)), c, list(c), c.items, c.as_str(), c.as_str('  '), list(c.raw_iterator()), len(c))",
    "chunk pickled": "pickle.loads(pickle.dumps(D.DataChunk([1, 2])))",
    "own": f"(P := {OWN % '{}'}, p := P(3), list(p), str(p), repr(p), list(p.map(double)))[2:]",
    "own length": f"len(({OWN % '{}'})(3))",
    "own iterator invalid": f"(p := ({OWN % '{}'})(3), a := iter(p), next(a), b := iter(p), drained(a), drained(b))[4:]",
    "own attributes of iterators": f"(p := ({OWN % '{}'})(3), hasattr(iter(p), '__length_hint__'), type(iter(p).iterator).__name__)[1:]",
    "own counts": f"(p := ({OWN % '{}'})(3), list(p), p._number_of_samples_yielded, p._snapshot_state.name)[1:]",
    "own fails": f"drained(({OWN % '{}'})('x'))",
    "own resets": "(R := " + OWN % "{'reset': lambda s: setattr(s, 'n', s.n - 1)}" + ", p := R(4), list(p), list(p))[2:]",
    "counter": f"(p := {COUNTER}(), a := iter(p), next(a), next(a), p._number_of_samples_yielded, b := iter(p), next(b), drained(a),"
               " p._number_of_samples_yielded)[2:5] ",
    "counter invalid": f"(p := {COUNTER}(), a := iter(p), next(a), b := iter(p), raised(next, a)[0], next(b))[4:]",
    "counter itself": f"(p := {COUNTER}(), next(p), next(p), p._number_of_samples_yielded)[1:]",
    "base iterates itself": "raised(next, iter(D.IterDataPipe()))",
    "hooks": "(D.IterDataPipe.set_getstate_hook(len), raised(D.IterDataPipe.set_getstate_hook, len),"
             " D.IterDataPipe.set_getstate_hook(None), D.IterDataPipe.set_reduce_ex_hook(len),"
             " raised(D.IterDataPipe.set_reduce_ex_hook, len), D.IterDataPipe.set_reduce_ex_hook(None))",
    "hooks by key": "(D.MapDataPipe.set_getstate_hook(len), raised(D.MapDataPipe.set_getstate_hook, len),"
                    " D.MapDataPipe.set_getstate_hook(None))",
    "texts": "(p := ten(), setattr(p, 'repr_hook', lambda s: 'R'), setattr(p, 'str_hook', lambda s: 'S'), repr(p), str(p))[3:]",
    "frames": "(D.DFIterDataPipe()._is_dfpipe(), issubclass(D.DFIterDataPipe, D.IterDataPipe))",
    "kinds": "[issubclass(D.IterDataPipe, D.IterableDataset), issubclass(D.MapDataPipe, D.Dataset), type(D.IterDataPipe).__name__,"
             " type(D.MapDataPipe).__name__]",
    "subscript": "[str(D.IterDataPipe[int]).split('.')[-1], str(D.MapDataPipe[str]).split('.')[-1]]",
}
TYPES = ("list, int, tuple, typing.Any, bool, float, str, list[int], typing.List[int], typing.Union[int, str],"
         " typing.Optional[int], dict[str, int], typing.TypeVar('T'), typing.TypeVar('B', bound=int), typing.TypeVar('C', int, str),"
         " tuple[int, str], None, type(None), set[int], typing.Iterator[int], complex")
DECORATORS = {
    "determinism": "(P := D.non_deterministic(type('P', (D.IterDataPipe,), {})), type(P()).__name__,"
                   " (lambda g: (raised(P), g.__exit__(None, None, None)))(D.guaranteed_datapipes_determinism()), type(P()).__name__)[1:]",
    "determinism of arguments": "(P := D.non_deterministic(lambda x: x > 1)(type('P', (D.IterDataPipe,), {'__init__': lambda s, x: None})),"
                                " (lambda g: (raised(P, 2), raised(P, 1), g.__exit__(None, None, None)))("
                                "D.guaranteed_datapipes_determinism()), raised(P, 2))[1:]",
    "determinism of no bool": "D.non_deterministic(lambda: 1)(D.IterDataPipe)()",
    "determinism of another class": "D.non_deterministic(int)",
    "determinism of a number": "D.non_deterministic(3)",
    "determinism by a function of another class": "D.non_deterministic(lambda: True)(int)",
    "functional of no pipe": "D.functional_datapipe('_x')(int)",
    "functional of an object": "D.functional_datapipe('_x')(3)",
    "functional of what is not deterministic": "D.functional_datapipe('_x')(D.non_deterministic(D.IterDataPipe))",
    "functional name": "(D.functional_datapipe('x').name, D.functional_datapipe('x').enable_df_api_tracing)",
    "functional": "(D.functional_datapipe('_own')(type('P', (I.Mapper,), {})), type(ten()._own(double)).__name__,"
                  " list(ten()._own(double)), D.IterDataPipe.functions.pop('_own'))[1:3]",
    "arguments": "D.argument_validation(annotated(D))(ten())",
    "arguments, no pipe": "D.argument_validation(annotated(D))(3)",
    "arguments, typed": "D.argument_validation(annotated_by(typed(D, int)))(typed(D, int)()).__class__.__name__",
    "arguments, typed otherwise": "D.argument_validation(annotated_by(typed(D, int)))(typed(D, str)())",
    "arguments, missing": "D.argument_validation(annotated(D))()",
    "runtime": "list(validated(D, int, [1, 2])())",
    "runtime, wrong": "drained(validated(D, int, [1, 'a'])())",
    "runtime, without a type": "drained(validated(D, None, [1])())",
    "runtime, lists": "drained(validated(D, typing.List[int], [[1], [1, 2], ['a']])())",
    "runtime, tuples": "drained(validated(D, typing.Tuple[int, str], [(1, 'a'), (1,)])())",
    "runtime, dicts": "drained(validated(D, typing.Dict[str, int], [{'a': 1}, {1: 1}])())",
    "runtime, disabled": "(lambda g: (list(validated(D, int, ['a'])()), g.__exit__(None, None, None)))(D.runtime_validation_disabled())",
    "runtime, another method": "D.runtime_validation(double)",
    "types": f"[T.issubtype(a, b) for a in ({TYPES}) for b in ({TYPES})]",
    "types, flat": f"[T.issubtype(a, b, recursive=False) for a in ({TYPES}) for b in ({TYPES})]",
    "instances": f"[T.issubinstance(a, b) for a in (1, 'a', [1], ['a'], (1, 'a'), {{'a': 1}}, {{1}}, None, True, 1.5, []) for b in"
                 f" ({TYPES})]",
    "type": "(str(T._DataPipeType(int)), T._DataPipeType(int) == T._DataPipeType(int), T._DataPipeType(int) == 3,"
            " str(T._DataPipeType(typing.List[int])), str(T._DataPipeType(np.ndarray)))",
    "type of no type": "T._DataPipeType(int).issubtype(types.SimpleNamespace(param=3))",
}
GRAPHS = {
    "traverse": "names_of(G.traverse_dps(ten().map(double).zip(ten().shuffle())))",
    "traverse a fork": "names_of(G.traverse_dps((f := ten().fork(2), f[0].zip(f[1]))[1]))",
    "traverse by key": "names_of(G.traverse_dps(keys().map(double).batch(2).shuffle()))",
    "traverse, nested": "names_of(G.traverse_dps(holder(D, {'a': [ten()], 'b': (ten().batch(2),)})))",
    "traverse, itself": "(h := holder(D, []), h.held.append(h), names_of(G.traverse_dps(h)))[2]",
    "traverse lambdas": "names_of(G.traverse_dps(ten().map(lambda x: x)))",
    "traverse a list": "G.traverse_dps([1])",
    "traverse, old": "names_of(G.traverse(ten().batch(2)))",
    "traverse, old and only": "names_of(G.traverse(ten().batch(2), only_datapipe=True))",
    "traverse, old lambdas": "raised(G.traverse, ten().map(lambda x: x))[0]",
    "pipes": "[type(p).__name__ for p in S.get_all_graph_pipes(G.traverse_dps((f := ten().fork(2), f[0].zip(f[1]))[1]))]",
    "shards": "(p := ten().sharding_filter().map(double), S.apply_sharding(p, 3, 1), list(p))[2]",
    "shards twice": "S.apply_sharding(ten().sharding_filter().map(double).sharding_filter(), 3, 1)",
    "shards side by side": "(p := ten().sharding_filter().zip(ten().sharding_filter()), S.apply_sharding(p, 3, 1), list(p))[2]",
    "shards of own": "(P := type('P', (I.Batcher,), {'apply_sharding': lambda s, n, i: setattr(s, 'got', (n, i))}), p := P(ten(), 2),"
                     " S.apply_sharding(p, 3, 1), p.got)[3]",
    "shuffle on": "(p := ten().shuffle(), S.apply_shuffle_settings(p, True) is p, S.apply_shuffle_settings(p, False) is p, p._enabled)[1:]",
    "shuffle None": "type(S.apply_shuffle_settings(ten(), None)).__name__",
    "shuffle without": "type(S.apply_shuffle_settings(ten(), True)).__name__",
    "shuffle off without": "type(S.apply_shuffle_settings(ten(), False)).__name__",
    "seeds": "(p := ten().shuffle().zip(ten().shuffle()), S.apply_random_seed(p, t.Generator().manual_seed(1)), list(p), list(p))[2:]",
    "seeds of the default": "(p := ten().shuffle(), S.apply_random_seed(p, None), list(p))[2]",
    "seeds, old name": "(p := ten().shuffle(), S.apply_shuffle_seed(p, t.Generator().manual_seed(1)), list(p))[2]",
}
COMMON = {
    "stream": "(s := common.StreamWrapper(io.StringIO('a\\nb')), s.read(1), list(s), s.closed, s.close(), s.closed, s.file_obj.closed)[1:]",
    "stream next": "next(common.StreamWrapper(io.StringIO('a\\nb')))",
    "stream repr": "[repr(common.StreamWrapper(3)), repr(common.StreamWrapper(3, name='n'))]",
    "stream parent": "(p := common.StreamWrapper(io.StringIO()), c := common.StreamWrapper(io.StringIO(), p), p.autoclose(), p.closed,"
                     " c.close(), p.closed, p.child_counter)[3:]",
    "stream alone": "(p := common.StreamWrapper(io.StringIO()), p.autoclose(), p.closed)[2]",
    "stream of a wrong parent": "common.StreamWrapper(io.StringIO(), 3)",
    "stream collected": "(f := io.StringIO(), common.StreamWrapper(f), f.closed)[2]",
    "stream attribute": "common.StreamWrapper(io.StringIO()).nothing",
    "streams in": "(s := [common.StreamWrapper(io.StringIO()) for _ in range(4)], common.StreamWrapper.close_streams({'a': [s[0], (s[1],)],"
                  " 'b': s[2], 'c': {s[3]}}), [x.closed for x in s])[2]",
    "stream pickled": "(s := pickle.loads(pickle.dumps(common.StreamWrapper(io.BytesIO(b'ab')))), s.read(), s.close())[1]",
    "stream dir": "{'file_obj', 'close', 'read', 'autoclose'} <= set(dir(common.StreamWrapper(io.StringIO())))",
    "masks": "[common.match_masks(n, m) for n in ('a.txt', 'b') for m in ('', [], 'a*', ['x', '*b'])]",
    "columns": "[raised(common.validate_input_col, f, c) for f in (double, add, len, lambda: 0, lambda *a: 0, lambda a, *b: 0,"
               " lambda *, k: 0, lambda a, b, c=1: 0, functools.partial(add, 1), functools.partial(print)) for c in (None, 0, [0], [0, 1], (0, 1, 2), [])]",
    "functions": "[raised(common._check_unpickable_fn, f) for f in (double, len, 3, str, lambda x: x, functools.partial(double))]",
    "local": "[bool(common._is_local_fn(f)) for f in (double, lambda x: x, (lambda: lambda x: x)(), type('L', (), {}), print,"
             " functools.partial(double))]",
    "pairs": "[raised(common.validate_pathname_binary_tuple, d) for d in (3, ('a',), (1, 2), ('a', 3), ('a', io.BytesIO()),"
             " ('a', common.StreamWrapper(io.BytesIO())))]",
    "deprecation": "common._deprecation_warning('A', deprecation_version='1', removal_version='2')",
    "deprecation of a name": "common._deprecation_warning('A', deprecation_version='1', removal_version='2', old_functional_name='a',"
                             " new_functional_name='b', new_class_name='B')",
    "deprecation of a name only": "common._deprecation_warning('A', deprecation_version='1', removal_version='2', old_functional_name='a',"
                                  " deprecate_functional_name_only=True, new_functional_name='b')",
    "deprecation of an argument": "common._deprecation_warning('A', deprecation_version='1', removal_version='2', old_argument_name='a',"
                                  " new_argument_name='b')",
    "deprecation errors": "[raised(lambda: common._deprecation_warning('A', deprecation_version='1', removal_version='2', **k)) for k in"
                          " ({'new_functional_name': 'b'}, {'new_argument_name': 'b'}, {'old_functional_name': 'a', 'old_argument_name': 'b'})]",
    "basic": "[decoder.basichandlers(e, d) for e, d in (('txt', b'a'), ('text', b'a'), ('t', b'a'), ('cls', b'3'), ('id', b'x'),"
             " ('json', b'[1]'), ('pyd', pickle.dumps(3)), ('bin', b'a'), ('', b'a'))]",
    "a part of transcript": "[decoder.basichandlers(e, b'abc') for e in ('pt', 'script', 'ex')]",
    "extensions": "[decoder.handle_extension('jpg seg.JPG', len)(k, b'abc') for k in ('a.jpg', 'a.seg.jpg', 'a', 'JPG', 'x.png')]",
    "extensions of a path": "[decoder.extension_extract_fn(p) for p in ('a.b.c', 'a', 'x/.hidden', 'a.')]",
    "image of another": "[decoder.imagehandler('torch')('txt', b''), decoder.imagehandler('pil').imagespec]",
    "image unknown": "decoder.ImageHandler('grey')",
    "image without Pillow": "decoder.imagehandler('torch')('jpg', b'')",
    "specifications": "decoder.imagespecs",
    "video": "[decoder.videohandler('txt', b''), decoder.audiohandler('txt', b'')]",
    "video without torchvision": "decoder.videohandler('mp4', b'')",
    "sound without torchaudio": "decoder.audiohandler('wav', b'')",
    "mat": "(f := io.BytesIO(), __import__('scipy.io').io.savemat(f, {'a': np.ones(2)}), decoder.mathandler()('mat', f.getvalue())['a'],"
           " decoder.mathandler()('txt', b''))[2:]",
    "decoder": "(d := decoder.Decoder(decoder.basichandlers), d([('a.txt', b'x'), ('_b', b'y'), ('c.bin', b'z'), ('d.txt', b'')]),"
               " d(('a.txt', io.BytesIO(b'x'))), d(None), d.add_handler(), d.add_handler(lambda k, v: 1), d(('a', b'b')))[1:]",
}
FRAMES = {
    "no pandas": "[raised(f, 3) for f in (W.create_dataframe, W.is_dataframe, W.is_column, W.concat, W.get_len, W.get_columns)]",
    "no pandas, items": "(raised(W.get_item, 3, 0), raised(list, W.iterate(3)))",
    "wrapper": "W.get_df_wrapper().__name__",
    "to frames": "raised(list, ten()._to_dataframes_pipe())",
    "own wrapper": "framed(W, lambda: rows(ten()._to_dataframes_pipe(4).raw_iterator()))",
    "own rows": "framed(W, lambda: [list(x) for x in ten()._to_dataframes_pipe(4)])",
    "own columns": "framed(W, lambda: [list(x) for x in wrap([(1, 2), (3, 4)])._to_dataframes_pipe(2, columns=['a', 'b'])])",
    "own operations": "framed(W, lambda: (p := wrap([(1, 2), (3, 4)])._to_dataframes_pipe(1, columns=['a', 'b']),"
                      " p.__setitem__('c', p['a'] + p['b']), rows(p.raw_iterator()))[2])",
    "own products": "framed(W, lambda: (p := wrap([(1, 2), (3, 4)])._to_dataframes_pipe(1, columns=['a', 'b']),"
                    " p.__setitem__('c', p.a * p['b'] - p['a']), rows(p.raw_iterator()))[2])",
    "own batches": "framed(W, lambda: [[list(x) for x in b] for b in wrap([(i, 2 * i) for i in range(5)])._to_dataframes_pipe(2, columns=['a',"
                   " 'b']).batch(2)])",
    "own shuffle": "framed(W, lambda: [list(x) for x in wrap([(i, 2 * i) for i in range(5)])._to_dataframes_pipe(2).shuffle()])",
    "own concat": "framed(W, lambda: rows(ten()._to_dataframes_pipe(2)._dataframes_concat(2).raw_iterator()))",
    "own groups": "framed(W, lambda: [rows(b.raw_iterator()) for b in ten()._to_dataframes_pipe(2).groupby(lambda f: f.data[0][0] % 2)])",
    "own collate": "framed(W, lambda: ten()._to_dataframes_pipe(2).collate())",
    "text": "framed(W, lambda: (C := F.CaptureDataFrame(), setattr(C, 'name', 'f'), C.__setitem__('c', F.CaptureGetAttr(C, 'a', C.ctx)),"
            " C._ops_str())[3])",
    "values": "[F.get_val(3), F.get_val('a')]",
    "function": "F.CaptureA(name='f', real_attribute=len).execute() is len, str(F.CaptureA(name='f', real_attribute=len))",
    "patched": "(c := F.CaptureLikeMock('os.path.join'), c.__enter__(), type(os.path.join).__name__, c.__exit__(), os.path.join('a', 'b'))[2:]",
    "not shardable": "framed(W, lambda: ten()._to_dataframes_pipe(2).is_shardable())",
}
SIGNATURES = ["DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe", "argument_validation", "functional_datapipe",
              "guaranteed_datapipes_determinism", "non_deterministic", "runtime_validation", "runtime_validation_disabled"]


@pytest.mark.parametrize("name", BASES)
def test_base_classes(name):
    checked(BASES[name])


@pytest.mark.parametrize("name", DECORATORS)
def test_decorators(name):
    checked(DECORATORS[name])


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs(name):
    checked(GRAPHS[name])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # PyTorch's, where a constructor has failed
@pytest.mark.parametrize("name", COMMON)
def test_what_pipes_share(name):
    checked(COMMON[name])


@pytest.mark.parametrize("name", FRAMES)
def test_frames(name):
    checked(FRAMES[name])


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures(name):
    assert same_signature("utils.data", name) is not False


def test_modules_have_pytorchs_names():
    assert torchlike.utils.data.datapipes.iter.Batcher.__module__ == "torchlike.utils.data.datapipes.iter.grouping"
