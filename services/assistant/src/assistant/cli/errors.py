"""How commands report errors."""

import sys
from typing import NoReturn


def fail(message: str) -> NoReturn:
    sys.exit(f"assistant: {message}")
