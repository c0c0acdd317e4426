"""The contact sheet: a table of small pictures for each state, with its faults."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

STYLE = """body { font: 14px sans-serif; margin: 1rem; background: #888; }
section { margin-bottom: 2rem; } h2 { margin: 0 0 .5rem; } div { display: flex; flex-wrap: wrap; gap: .5rem; }
figure { margin: 0; } img { height: 340px; object-fit: cover; object-position: top; display: block; }
.fault img { outline: 4px solid red; } ul { color: #900; background: white; margin: .5rem 0; }"""


@dataclass(frozen=True)
class Shot:
    """One state in one width, appearance and language."""

    state: str
    language: str
    width: int
    scheme: str
    file: str
    faults: Sequence[str]

    @property
    def look(self) -> str:
        return f"{self.language} {self.width} {self.scheme}"


def contact_sheet(shots: Sequence[Shot]) -> str:
    parts = [f"<!doctype html><meta charset=utf-8><title>{len(shots)} screens</title><style>{STYLE}</style>"]
    by_state = sorted(shots, key=lambda shot: [other_shot.state for other_shot in shots].index(shot.state))
    for state, group in groupby(by_state, key=lambda shot: shot.state):
        shown = list(group)
        faults = dict.fromkeys(fault for shot in shown for fault in shot.faults)
        listed = "".join(f"<li>{escape(fault)}: {_where(fault, shown)}</li>" for fault in faults)
        pictures = "".join(
            f"<figure class='{'fault' if shot.faults else ''}'><a href='{shot.file}'>"
            f"<img loading=lazy src='{shot.file}'></a><figcaption>{shot.look}</figcaption></figure>"
            for shot in shown
        )
        parts.append(f"<section><h2>{escape(state)}</h2><ul>{listed}</ul><div>{pictures}</div></section>")
    return "\n".join(parts)


def _where(fault: str, shots: Sequence[Shot]) -> str:
    return ", ".join(shot.look for shot in shots if fault in shot.faults)


def findings(shots: Sequence[Shot]) -> list[str]:
    """One line for each fault of each state, with the looks that have it."""
    kinds = dict.fromkeys((shot.state, fault) for shot in shots for fault in shot.faults)
    return [f"{fault} [{_where(fault, [shot for shot in shots if shot.state == state])}]" for state, fault in kinds]
