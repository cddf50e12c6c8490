"""What a program's intermediate values need."""

from torchlike._compile.chains import Chain
from torchlike._compile.program import Input, Program, last_uses, placed, slot_avals


def bytes_of_temporaries(program: Program) -> int | None:
    """The most memory that values which are neither inputs nor results take at once.

    Args:
        program: one that has run.

    Returns:
        What XLA has reserved for them, where the program is compiled (None if XLA does not say); else the sum over the
        values between kernels, for each kernel run alone. What a kernel needs for itself is not in it.
    """
    if program.state != "ready":
        return _most_at_once(program)
    if isinstance(program.compiled, Chain):
        return _of_chain(program, program.compiled)
    analysis = program.compiled.memory_analysis()
    return None if analysis is None else analysis.temp_size_in_bytes


def _of_chain(program, chain) -> int | None:
    """As above, with the values between the links. What they overwrite is counted twice while they run."""
    sizes, results = _sizes(program), set(program.live)
    held: set = set()
    most = 0
    for link in chain.links:
        inside = bytes_of_temporaries(link.program)
        if inside is None:
            return None
        held.update(slot for slot in link.outs if slot not in results)
        most = max(most, inside + sum(map(sizes.__getitem__, held)))
        held.difference_update(link.dead)
    return most


def _sizes(program) -> list:
    return [a.nbytes for a in slot_avals(program.items)]


def _most_at_once(program) -> int:
    calls, owners = _calls(program.items)
    sizes = _sizes(program)
    results = {owners.get(slot, slot) for slot in program.live}
    held = most = 0
    made = set()
    for (_, _, outs), ends in zip(calls, last_uses(calls, results), strict=True):
        if ends is None:
            continue
        made.update(slot for slot in outs if slot not in owners and slot not in results)
        held += sum(sizes[slot] for slot in made.intersection(outs))
        most = max(most, held)
        held -= sum(sizes[slot] for slot in made.intersection(ends))
    return most


def _calls(items) -> tuple:
    """(the calls, on the memory that their operands are in; {slot of a view: the slot whose memory it is})."""
    calls, owners = [], {}
    for item, outs in placed(items):
        if item.__class__ is Input:
            continue
        slots = [owners.get(place, place) for place in item.slots]
        row = item.kernel.row
        if row is not None and row.view is not None:
            owners.update(dict.fromkeys(outs, slots[0]))
        calls += item.kernel.calls((*slots, *[None] * len(item.kernel.numbers)), outs)
    return calls, owners
