from typing import Any

from google.protobuf.descriptor import FieldDescriptor


def constraint(field: FieldDescriptor) -> dict[str, Any]:
    return {}
