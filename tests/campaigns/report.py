"""What a campaign has found."""

import dataclasses


@dataclasses.dataclass
class Failure:
    """A case that went wrong: ``where`` groups failures of one cause, ``size`` orders them, ``case`` reproduces it."""

    where: str
    what: str
    case: str
    size: int


@dataclasses.dataclass
class Report:
    """How many cases were tried, and the failures. ``notes``: figures that belong to the campaign."""

    cases: int = 0
    points: set = dataclasses.field(default_factory=set)
    failures: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)

    def smallest(self) -> Failure | None:
        """The failure with the shortest way to it."""
        return min(self.failures, key=lambda failure: failure.size, default=None)

    def complaints(self) -> list:
        """The smallest failure of each place as text; [] where all was well."""
        return [f"{failure.where}: {failure.what} ({failure.case})" for failure in self.causes().values()]

    def causes(self) -> dict:
        """The smallest failure of each place."""
        found: dict = {}
        for failure in sorted(self.failures, key=lambda failure: failure.size):
            found.setdefault(failure.where, failure)
        return found
