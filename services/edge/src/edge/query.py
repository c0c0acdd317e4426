"""Refuses query parameters that a route does not declare, and those that a request repeats.

A parameter that is ignored answers another question than the one asked: a report of everything for a misspelt filter.
"""

from collections import Counter
from collections.abc import Sequence

from starlette.requests import Request

from edge.problems import Problem
from servicekit.errors import Violation, pointer_part
from servicekit.languages import Text

_NONE = Text("Cette adresse ne prend aucun paramètre.", "This address takes no parameter.")
_UNKNOWN = Text("ce paramètre est inconnu", "this parameter is unknown")
_REPEATED = Text("ce paramètre est donné plusieurs fois", "this parameter is given several times")


def check_query(request: Request, declared: Sequence[str]) -> None:
    """Raises Problem: invalid_payload."""
    counts = Counter(name for name, _ in request.query_params.multi_items())
    violations = [
        Violation(pointer_part(name), "unknown_member", str(_UNKNOWN))
        if name not in declared
        else Violation(pointer_part(name), "too_many", str(_REPEATED))
        for name, count in counts.items()
        if name not in declared or count > 1
    ]
    if violations:
        names = ", ".join(declared)
        some = Text(
            f"Cette adresse prend ces paramètres, chacun une fois : {names}.",
            f"This address takes these parameters, each of them once: {names}.",
        )
        raise Problem("invalid_payload", some if declared else _NONE, violations)
