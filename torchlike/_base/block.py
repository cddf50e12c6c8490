"""Contexts that an interruption cannot leave half entered or half left."""


class Block:
    """``with``: `_begin` on entering, whose result is given, and `_end` on leaving.

    Ctrl-C, which comes where a function begins or behind a call, may come within either. `_end` is called again then, so it
    says what holds afterwards, and not what changes: it may be called twice, and before `_begin` has done anything.
    """

    __slots__ = ()

    def __enter__(self):
        try:
            return self._begin()
        except BaseException:
            self._end()
            raise

    def __exit__(self, *exception) -> None:
        try:
            self._end()
        except BaseException:
            self._end()
            raise

    def _begin(self):
        raise NotImplementedError

    def _end(self) -> None:
        raise NotImplementedError
