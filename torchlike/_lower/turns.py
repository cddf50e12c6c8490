"""A loop as source: what each turn gets, and what is left of it."""

import re

from torchlike._lower.names import identifier
from torchlike._lower.texts import Text
from torchlike._lower.writer import Writer

_FEW, _LONG = 2, 40
_NUMBER = re.compile(r"\d+")


class Turns:
    """Writes a loop.

    Args:
        body: the Body that it is part of.
        loop: the Loop.
    """

    def __init__(self, body, loop):
        self.body, self.loop, self.module = body, loop, body.module
        self.zipped: list = []  # (variable, the text of a list)
        self.groups: dict = {}  # {text of a list of tuples: {place in a tuple: variable}}
        self.first: int | None = None  # what the number of a turn begins with
        self.step = 0
        self.index = "i"

    def write(self) -> None:
        """Writes it."""
        body, loop, writer = self.body, self.loop, self.body.writer
        for key in loop.operands:
            body.left[key] -= 1
        for key in loop.same:
            if key in body.env:
                body.env[key] = body.named(key, "value")
        for proxy, first in (*((c[0], c[1]) for c in loop.carried), *((e[0], e[1][0]) for e in loop.each)):
            self.module.forms[proxy] = self.module.form_of(first)
        self.index = next(iter(body.indexes)) if body.indexes else writer.fresh("i")
        env = {key: body.env[key] for key in loop.same if key in body.env}
        carried: list = []
        for _, start, after in loop.carried:
            carried.append(self._carried(start, after, carried))
        for (proxy, key, _), name in zip(loop.carried, carried, strict=True):
            env[proxy] = Text(name, shape=self._shape(key))
        for proxy, keys in loop.each:
            env[proxy] = self._each(keys)
        inner = body.__class__(self.module, Writer(self.module), env)
        inner.writer.taken = writer.taken
        inner.held = {name: proxy for (proxy, *_), name in zip(loop.carried, carried, strict=True)}
        inner.hints = {after: name for (*_, after), name in zip(loop.carried, carried, strict=True)}
        stores = {key: target for key, keys in loop.results if (target := self._stored(keys)) is not None}
        inner.stores = dict(stores)
        lists = {key: identifier(self.module.names.of_value(key) or "value") + "s"
                 for key, keys in loop.results if key not in stores and any(body.left.get(k, 0) for k in keys[:-1])}
        if len(lists) <= _FEW:
            lists = {key: writer.fresh(name) for key, name in lists.items()}
        behind = [key for key, keys in loop.results if key not in stores and (body.left.get(keys[-1], 0) or key in lists)]
        wanted = [*(after for *_, after in loop.carried), *behind]
        texts = dict(zip(wanted, inner.write(loop.body, wanted), strict=True))
        lines = inner.writer.lines
        for key in behind:
            if not texts[key].is_name or "[" in texts[key].code:
                inner.assign(key, texts[key], self.module.names.of_value(key) or "value")
                texts[key] = inner.env[key]
        self._collect(lists, texts, lines)
        moved = [(name, texts[after].code) for name, (*_, after) in zip(carried, loop.carried, strict=True)
                 if texts[after].code != name]
        if moved:
            lines.append(f"{', '.join(name for name, _ in moved)} = {', '.join(code for _, code in moved)}")
        head, first = self._head()
        writer.lines += [head, [*first, *lines]]
        self._left_behind(lists, texts, carried)
        body.indexes.add(self.index)

    def _collect(self, lists, texts, lines) -> None:
        """Lists of what each turn has made: of several values one list of tuples. Their elements are then in ``lists``."""
        writer, sizes = self.body.writer, self.module.sizes
        if len(lists) <= _FEW:
            for key, name in lists.items():
                sizes[name] = self.loop.count
                writer.lines.append(f"{name} = []")
                lines.append(f"{name}.append({texts[key].code})")
                lists[key] = f"{name}[{{}}]"
            return
        name = writer.fresh("saved")
        sizes[name] = self.loop.count
        codes = [texts[key].code for key in lists]
        self.module.members[name] = codes
        writer.lines.append(f"{name} = []")
        lines.append(f"{name}.append(({', '.join(codes)}))")
        for place, key in enumerate(lists):
            lists[key] = f"{name}[{{}}][{place}]"

    def _shape(self, key) -> tuple:
        return tuple(self.module.form_of(key).shape)

    def _carried(self, start, after, others) -> str:
        """The variable of what goes from turn to turn, which has its first value; none of `others`."""
        body, names = self.body, self.module.names
        text = body.text(start)
        if text.code not in others and body.held.get(text.code) == start and not body.left.get(start, 0) and \
                not body.is_awaited(text.code):
            return text.code
        name = body.writer.fresh(names.of_value(after) or names.of_value(start) or "state")
        body.writer.lines.append(f"{name} = {body.writer.whole(text, self.module.shaped(start)).code}")
        return name

    def _each(self, keys) -> Text:
        """What one turn has in place of all of these."""
        body, shape = self.body, self._shape(keys[0])
        if all(key in self.module.leaves for key in keys):
            found = self._numbered([self.module.leaf(key) for key in keys])
            if found is not None:
                return Text(found, shape=shape)
        codes = [body.writer.whole(body.text(key), self.module.shaped(key)).code for key in keys]
        found = self._member(codes)
        if found is not None:
            return Text(found, shape=shape)
        hint = next((name for key in keys if (name := self.module.names.of_value(key))), "each")
        name = body.writer.fresh(hint)
        self.zipped.append((name, _listed(codes, self.module.sizes)))
        return Text(name, shape=shape)

    def _stored(self, keys):
        """Where each turn puts its result, as code; None where that has no name for all turns."""
        stores = self.body.stores
        if not all(key in stores and self.body.left.get(key, 0) == 1 for key in keys):
            return None
        found = self._numbered([stores[key] for key in keys])
        if found is None:
            return None
        for key in keys:
            del stores[key]
            self.body.left[key] -= 1
        return found

    def _numbered(self, names):
        """Names that differ in one number, by the number of the turn; None for others."""
        found = [list(_NUMBER.finditer(name)) for name in names]
        if len({len(each) for each in found}) > 1:
            return None
        for places in zip(*found, strict=True):
            numbers = [int(match[0]) for match in places]
            step = numbers[1] - numbers[0]
            head, tail = names[0][:places[0].start()], names[0][places[0].end():]
            if abs(step) != 1 or numbers != list(range(numbers[0], numbers[0] + step * len(numbers), step)) or \
                    names != [f"{head}{n}{tail}" for n in numbers]:
                continue
            if self.first is None:
                self.first, self.step = numbers[0], step
            if step != self.step:
                continue
            shift = numbers[0] - self.first
            index = self.index if not shift else f"{self.index} {'+' if shift > 0 else '-'} {abs(shift)}"
            before, _, after = head.rpartition('"')
            return f'{before}f"{after}{{{index}}}{tail}'
        return None

    def _member(self, codes):
        """The variable of one place in the tuples of a list; None for other values."""
        match = [re.fullmatch(r"(\w+)\[(\d+)\]\[(\d+)\]", code) for code in codes]
        if not all(match) or len({(m[1], m[3]) for m in match}) > 1:
            return None
        name, place = match[0][1], int(match[0][3])
        text = _listed([f"{m[1]}[{m[2]}]" for m in match], self.module.sizes)
        if text.startswith("["):
            return None
        group = self.groups.setdefault((name, text), {})
        if place not in group:
            group[place] = self.body.writer.fresh(self.module.members[name][place])
        return group[place]

    def _head(self) -> tuple:
        """(the first line, statements that each turn begins with)."""
        zipped, first = list(self.zipped), []
        for (name, text), group in self.groups.items():
            members = ", ".join(group.get(i, "_") for i in range(len(self.module.members[name])))
            zipped.append((self.body.writer.fresh("turn"), text))
            first.append(f"{members} = {zipped[-1][0]}")
        if sum(len(name) for name, _ in zipped) > _LONG:
            turn = self.body.writer.fresh("turn")
            first.insert(0, f"{', '.join(name for name, _ in zipped)} = {turn}")
            zipped = [(turn, f"zip({', '.join(text for _, text in zipped)}, strict=True)")]
        return self._for(zipped), first

    def _for(self, zipped) -> str:
        names = ", ".join(name for name, _ in zipped)
        lists = ", ".join(text for _, text in zipped)
        if len(zipped) > 1:
            lists = f"zip({lists}, strict=True)"
        if self.first is None:
            return f"for {names} in {lists}:" if zipped else f"for _ in range({self.loop.count}):"
        stop = self.first + self.step * self.loop.count
        plain = not self.first and self.step > 0
        numbers = f"{stop}" if plain else f"{self.first}, {stop}" + (", -1" if self.step < 0 else "")
        if not zipped:
            return f"for {self.index} in range({numbers}):"
        if plain:
            return f"for {self.index}, {names if len(zipped) == 1 else f'({names})'} in enumerate({lists}):"
        listed = ", ".join(text for _, text in zipped)
        return f"for {self.index}, {names} in zip(range({numbers}), {listed}, strict=True):"

    def _left_behind(self, lists, texts, carried) -> None:
        """What the steps behind the loop read of it."""
        after = {key: name for name, (*_, key) in zip(carried, self.loop.carried, strict=True)}
        for key, keys in self.loop.results:
            shape = self._shape(keys[0])
            if key in lists:
                for j, each in enumerate(keys):
                    self.body.env[each] = Text(lists[key].format(j), shape=shape)
            if key in after:
                self.body.bind(keys[-1], after[key], shape)
            elif key not in lists and key in texts:
                self.body.bind(keys[-1], texts[key].code, shape)


def _listed(codes, sizes) -> str:
    """A list in Python: of the first parts of another list that, or turned round."""
    match = [re.fullmatch(r"(\w+)\[(\d+)\]", code) for code in codes]
    if all(match) and len({m[1] for m in match}) == 1 and match[0][1] in sizes:
        name, numbers, count = match[0][1], [int(m[2]) for m in match], len(codes)
        whole = sizes[name] == count
        if numbers == list(range(count)):
            return name if whole else f"{name}[:{count}]"
        if numbers == list(range(count - 1, -1, -1)):
            return f"{name}[::-1]" if whole else f"{name}[{count - 1}::-1]"
    return f"[{', '.join(codes)}]"
