"""Types that several modules need for their annotations."""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])  # a function that a decorator gives back with the same signature
