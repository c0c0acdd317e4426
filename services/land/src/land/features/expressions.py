"""Expressions in CQL2 JSON over the texts of a row, as the edge has checked them."""

import operator
from typing import Any

_COMPARISONS = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip


def is_met(expression: Any, row: Any) -> bool | None:
    """None where it is unknown, since the row has no value: as in SQL, neither it nor its opposite is met."""
    match expression:
        case bool():
            return expression
        case {"op": "not", "args": [part]}:
            met = is_met(part, row)
            return None if met is None else not met
        case {"op": "and" | "or" as joined, "args": parts}:
            met_parts = [is_met(part, row) for part in parts]
            decisive = joined == "or"
            return decisive if decisive in met_parts else None if None in met_parts else not decisive
        case {"op": "isNull", "args": [operand]}:
            return _text(operand, row) is None
        case {"op": "in", "args": [operand, values]}:
            text = _text(operand, row)
            return None if text is None else text in values
        case {"op": comparison, "args": [left, right]}:
            first, second = _text(left, row), _text(right, row)
            return None if first is None or second is None else bool(_COMPARISONS[comparison](first, second))
    raise ValueError(expression)


def _text(operand: Any, row: Any) -> str | None:
    text = getattr(row, operand["property"]) if isinstance(operand, dict) else operand
    return None if text is None else str(text)
