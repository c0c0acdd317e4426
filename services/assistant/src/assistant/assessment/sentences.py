"""The sentences of the checks, from `sentences.toml`."""

from assistant.text import Sentences

tell = Sentences("assessment/sentences.toml")
"""Fills sentences by their keys, such as `unit_area.enough`: the code of the check and a name."""
