"""Estimates tokens, for servers that do not report them."""

import math


def estimate_tokens(text: str) -> int:
    return math.ceil(len(text.encode()) / 2.5)
