"""Quality values of Accept-Encoding and Accept-Language (RFC 9110 §12.4.2)."""

MAX_HEADER = 500


def quality_values(header: str) -> dict[str, float]:
    """Each name in lower case with its weight, 0 to 1. A repeated name gets its greatest weight.

    A weight that cannot be parsed counts as 0.
    """
    found: dict[str, float] = {}
    for part in header[:MAX_HEADER].split(","):
        name, _, parameters = part.partition(";")
        name = name.strip().lower()
        if name:
            found[name] = max(_weight(parameters), found.get(name, 0.0))
    return found


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    if name.strip().lower() != "q":
        return 1.0
    try:
        return min(max(float(value), 0.0), 1.0)
    except ValueError:
        return 0.0
