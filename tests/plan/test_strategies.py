"""What ways come to, on a step that is made by hand, by the sums that a reader would do."""

import dataclasses

import pytest

from tests.plan.checks import unlike_measured
from torchlike._plan.devices import DEVICES
from torchlike._plan.facts import Operation, Parameter, Source, Step
from torchlike._plan.mesh import MeshError, parse
from torchlike._plan.report import Plan, amount
from torchlike._plan.strategies import Setting, best_first, outcome, ways

MB = 1 << 20
ROWS = 32  # of a batch


def parameter(name, unit, out, wide):
    """A weight of `nn.Linear` in float32, with AdamW's two moments."""
    size = 4 * out * wide
    return Parameter(name, unit, (out, wide), size, size, 2 * size, 4, "float32")


def product(number, place, unit, out, wide, source):
    """The product of a batch with a weight, and the transposition of that."""
    flops = 2 * ROWS * out * wide
    turn = Operation(number, "TBackward0", unit, (Source(None, place),), True, ((out, wide),), (wide, out), 4)
    made = Operation(number + 1, "MmBackward0", unit, (source, Source(number, None)), False, ((ROWS, wide), (wide, out)),
                     (ROWS, out), 4, "float32", flops, 2 * flops, 4 * ROWS * wide)
    return [turn, made]


def step(blocks=4, wide=1024):
    """Blocks of two products, with something pointwise between them that saves its operand."""
    parameters, passing, units = [], [], [f"blocks.{i}" for i in range(blocks)]
    last = None
    for i, unit in enumerate(units):
        parameters += [parameter(f"{unit}.up", unit, 4 * wide, wide), parameter(f"{unit}.down", unit, wide, 4 * wide)]
        n = 10 * i
        passing += product(n, 2 * i, unit, 4 * wide, wide, last)
        passing.append(Operation(n + 2, "GeluBackward0", unit, (Source(n + 1, None),), True, ((ROWS, 4 * wide),),
                                 (ROWS, 4 * wide), 4, "float32", 0, 0, 16 * ROWS * wide))
        passing += product(n + 3, 2 * i + 1, unit, wide, 4 * wide, Source(n + 2, None))
        passing.append(Operation(n + 5, "NativeLayerNormBackward0", unit, (Source(n + 4, None),), False, ((ROWS, wide),),
                                 (ROWS, wide), 4, "float32", 0, 0, 4 * ROWS * wide))
        last = Source(n + 5, None)
    order = list(range(len(parameters)))[::-1]
    return Step(parameters, units, [passing], order, {}, 4 * ROWS * wide, ROWS, {}, False, 0)


ALL = 4 * 2 * 4 * MB * 4            # bytes of the parameters: four blocks, two weights each, 4 Mi numbers of 4 bytes
SAVED = 4 * ROWS * 1024 * (4 + 16 + 16 + 4)
FLOPS = 4 * 2 * 3 * 2 * ROWS * 4 * MB


def outcomes(mesh, *, is_global=False, microbatches=8, made=None, device="h100"):
    """{name of a way: its Outcome}."""
    setting = Setting(made or step(), parse(mesh), DEVICES[device], microbatches, is_global, 0)
    return {way.name: outcome(setting, way) for way in ways(setting.mesh)}


def sent(found):
    """{(kind, axes): (count, bytes)}."""
    return {(x.kind, x.group): (x.count, x.bytes) for x in found.collectives}


def test_ddp():
    found = outcomes("data=8")["DDP"]
    assert found.memory == {"parameters": ALL, "gradients": ALL, "moments": 2 * ALL + 8 * 4, "buffers": 0,
                            "saved for backward": SAVED, "unsharded block": 0}
    assert found.flops == {"float32": FLOPS}
    # The first bucket is full at 1 MB and the others at 25 MB: a weight of 16 MB, then pairs, and one that is left.
    assert sent(found) == {("all-reduce", "data"): (1 + 3 + 1, ALL)}
    assert found.collectives[0].wire == 2 * 7 / 8 * ALL


def test_fsdp():
    found = outcomes("data=8")["FSDP"]
    assert {kind: found.memory[kind] for kind in ("parameters", "gradients", "moments")} == {
        "parameters": ALL / 8, "gradients": ALL / 8, "moments": 2 * ALL / 8 + 8 * 4}
    assert found.memory["unsharded block"] == 2 * ALL / 4  # a block, and its gradients
    assert sent(found) == {("all-gather", "data"): (8, 2 * ALL), ("reduce-scatter", "data"): (4, ALL)}


def test_hsdp():
    found = outcomes("replica=2,data=4")["HSDP"]
    assert found.memory["parameters"] == ALL / 4
    assert sent(found) == {("all-gather", "data"): (8, 2 * ALL), ("reduce-scatter", "data"): (4, ALL),
                           ("all-reduce", "replica"): (4, ALL / 4)}


def test_tensor_parallel():
    found = outcomes("data=2,model=4")
    assert set(found) == {"DDP", "FSDP", "HSDP", "TP + DDP", "TP + FSDP"}
    tp = found["TP + DDP"]
    assert tp.memory["parameters"] == ALL / 4
    # What lies between the products, and the operand of the second, is split.
    assert tp.memory["saved for backward"] == 4 * ROWS * 1024 * 4 * (1 + 1 + (4 + 4) / 4)
    assert tp.flops == {"float32": FLOPS / 4}
    rows = 4 * ROWS * 1024
    assert sent(tp) == {("all-reduce", "data"): (2, ALL / 4), ("all-reduce", "model"): (4 + 3, 7 * rows)}
    assert {x.waits for x in tp.collectives if x.group == "model"} == {True}


def test_pipeline():
    found = outcomes("pipe=4,data=2", microbatches=8)["DDP"]
    assert found.bubble == 3 / 11
    assert (found.memory["parameters"], found.flops) == (ALL / 4, {"float32": FLOPS / 4})
    assert found.memory["saved for backward"] == SAVED / 4 * 4 / 8
    assert sent(found)["send", "pipe"] == (16, 2 * 4 * ROWS * 1024)
    assert sent(outcomes("pipe=4,data=2", microbatches=8)["FSDP"])["all-gather", "data"] == (2 * 8, 2 * 8 * ALL / 4)
    with pytest.raises(MeshError, match="5 stages needs as many blocks"):
        outcomes("pipe=5")
    with pytest.raises(MeshError, match="32 cannot be divided into 64"):
        outcomes("pipe=2", microbatches=64)


def test_a_batch_for_all():
    found = outcomes("data=8", is_global=True)["DDP"]
    assert (found.memory["saved for backward"], found.flops, found.batches) == (SAVED / 8, {"float32": FLOPS / 8}, 1)


def test_time():
    found = outcomes("data=8")["DDP"]
    h100 = DEVICES["h100"]
    assert found.parts["compute"] == FLOPS / h100.flops["float32"]
    assert found.parts["network"] == 2 * 7 / 8 * ALL / h100.link
    assert found.seconds == max(found.parts["compute"], found.parts["network"])
    slower = dataclasses.replace(h100, link=h100.link / 2)
    setting = Setting(step(), parse("data=8"), slower, 8, False, 0)
    assert outcome(setting, ways(setting.mesh)[0]).parts["network"] == 2 * found.parts["network"]


def test_fits_and_order():
    small = dataclasses.replace(DEVICES["h100"], memory=float(ALL))
    setting = Setting(step(), parse("data=16"), small, 8, False, 0)
    ranked = best_first([outcome(setting, way) for way in ways(setting.mesh)])
    assert [(x.way.name, x.fits) for x in ranked] == [("FSDP", True), ("DDP", False)]
    fast = best_first(list(outcomes("data=8").values()))
    assert fast[0].rate == max(x.rate for x in fast)


def measured_as_planned():
    """A measurement that is what is planned for DDP."""
    way = data_of(step())
    return {**way["memory"], "sent": [ALL // 5] * 4 + [ALL - ALL // 5 * 4]}


def data_of(made):
    """DDP on two devices, as data."""
    found = outcomes("data=2", made=made)["DDP"]
    setting = Setting(made, parse("data=2"), DEVICES["h100"], 8, False, 0)
    return Plan("p", 3, setting, [found], "").json()["ways"][0]


def test_planted_errors_are_seen():
    measured = measured_as_planned()
    assert list(unlike_measured(data_of(step()), measured)) == []
    made = step()
    halves = [dataclasses.replace(p, moments=p.moments // 2) for p in made.parameters]
    uncounted = dataclasses.replace(made, parameters=halves)
    assert [text.split(":")[0] for text in unlike_measured(data_of(uncounted), measured)] == ["moments", "in all"]
    frozen = dataclasses.replace(made.parameters[0], gradient=0)
    unsent = dataclasses.replace(made, parameters=[frozen, *made.parameters[1:]])
    assert "all-reduces" in [text.split(":")[0] for text in unlike_measured(data_of(unsent), measured)]


def test_report():
    made = step()
    setting = Setting(made, parse("data=8"), DEVICES["h100"], 8, False, 0)
    text = str(Plan("train.py", 3, setting, [outcome(setting, way) for way in ways(setting.mesh)], "Not compiled."))
    assert "33.6 M parameters in 8 tensors, 4 blocks, a batch of 32" in text
    assert "8 x h100 (data=8)" in text
    assert [amount(x, "B") for x in (0, 999, 1000, 123456, 2.5e12)] == ["0 B", "999 B", "1 kB", "123 kB", "2.5 TB"]
