"""DataLoaders of pipes against torch: orders, seeds, shares of workers, lengths, errors, pickles."""

import pytest

from tests.speed import sampled
from tests.utils.data.checks import check
from tests.utils.data.datapipes.running import run

LOADERS = {
    "plain": "list(D.DataLoader(ten()))",
    "batches": "list(D.DataLoader(ten(), batch_size=4))",
    "batches, dropping": "list(D.DataLoader(ten(), batch_size=4, drop_last=True))",
    "no batches": "list(D.DataLoader(ten().batch(3), batch_size=None))",
    "length": "(len(D.DataLoader(ten(), batch_size=4)), raised(len, D.DataLoader(ten().filter(is_even))))",
    "shuffled pipe": "(l := D.DataLoader(ten().shuffle()), list(l), list(l))[1:]",
    "shuffle": "(l := D.DataLoader(ten().shuffle(), shuffle=True), list(l), list(l))[1:]",
    "shuffle off": "(l := D.DataLoader(ten().shuffle(), shuffle=False), list(l))[1]",
    "shuffle without a shuffler": "(l := D.DataLoader(ten(), shuffle=True), list(l))[1]",
    "generator": "(l := D.DataLoader(ten().shuffle(), generator=t.Generator().manual_seed(5)), list(l), list(l))[1:]",
    "sampler": "D.DataLoader(ten(), sampler=[1])",
    "batch sampler": "D.DataLoader(ten(), batch_sampler=[[1]])",
    "sharded": "list(D.DataLoader(ten().sharding_filter()))",
    "sharded twice": "list(D.DataLoader(ten().sharding_filter().sharding_filter()))",
    "by key": "list(D.DataLoader(keys(), batch_size=4))",
    "by key, shuffled": "list(D.DataLoader(keys(), batch_size=4, shuffle=True))",
    "by key, shuffled by itself": "list(D.DataLoader(keys().shuffle(), batch_size=4))",
    "wrapped": "(l := D.DataLoader(ten()), type(l.dataset).__name__, len(l.dataset), type(D.DataLoader(keys()).dataset).__name__)[1:]",
    "wrapper pickled": "(w := pickle.loads(pickle.dumps(D.DataLoader(ten().map(double)).dataset)), list(w))[1]",
    "wrapper of lambdas not pickled": "raised(pickle.dumps, D.DataLoader(ten().map(lambda x: x)).dataset)[0]",
    "wrapper not begun": "next(D.datapipes.datapipe._IterDataPipeSerializationWrapper(ten()))",
    "two iterators": "(l := D.DataLoader(ten()), a := iter(l), next(a), b := iter(l), next(b), raised(next, a))[4:]",
    "fails": "drained(D.DataLoader(ten().map(fail_at_two)))",
}
WORKERS = {
    "plain": "sorted(map(int, D.DataLoader(ten(), num_workers=2)))",
    "sharded": "list(D.DataLoader(ten().sharding_filter(), num_workers=2))",
    "sharded, shuffled": "(l := D.DataLoader(ten().shuffle().sharding_filter(), num_workers=2), list(l), list(l))[1:]",
    "sharded, shuffled, batches": "list(D.DataLoader(ten().shuffle().sharding_filter().map(double), batch_size=3, num_workers=3))",
    "persistent": "(l := D.DataLoader(ten().shuffle().sharding_filter(), num_workers=2, persistent_workers=True), list(l), list(l),"
                  " list(l))[1:]",
    "generator": "list(D.DataLoader(ten().shuffle().sharding_filter(), num_workers=2, generator=t.Generator().manual_seed(5)))",
    "initialised": "list(D.DataLoader(ten().sharding_filter(), num_workers=2, worker_init_fn=double))",
    "forked": "list(D.DataLoader((f := ten().fork(2), f[0].zip(f[1]))[1].sharding_filter(), num_workers=2))",
    "by key": "list(D.DataLoader(keys().map(double), batch_size=4, shuffle=True, num_workers=2))",
    "sharded twice": "drained(D.DataLoader(ten().sharding_filter().sharding_filter(), num_workers=1))[0][0]",
}


@pytest.mark.parametrize("name", LOADERS)
def test_loaders(name):
    check(run(LOADERS[name]))


@pytest.mark.parametrize("name", sampled(WORKERS, fast={"persistent"}, ci=3))
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of forks with threads
def test_workers(name):
    check(run(WORKERS[name]))
