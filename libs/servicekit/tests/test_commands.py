"""Programs that run until a signal."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from servicekit.commands import run_until_signalled


def test_a_program_ends_after_a_signal_and_touches_its_file_at_each_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive_file = tmp_path / "alive"
    passes: list[None] = []

    def run(is_ending: Callable[[], bool]) -> None:
        while not is_ending():
            alive_file.unlink()
            passes.append(None)
            if len(passes) == 2:
                os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setenv("ALIVE_FILE", str(alive_file))
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        run_until_signalled(run)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert len(passes) == 2
    assert alive_file.exists()
