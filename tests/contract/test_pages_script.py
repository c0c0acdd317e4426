"""`make run` says at once what it does while it builds the pages."""

import shutil
import subprocess
from pathlib import Path

from embedded.installation import REPOSITORY


def test_each_step_of_the_build_is_printed_and_its_output_is_in_a_log(tmp_path: Path) -> None:
    (tmp_path / "deploy").mkdir()
    shutil.copy(REPOSITORY / "deploy" / "pages.sh", tmp_path / "deploy")
    scripts = {"node.sh": f"echo {tmp_path}", "npm_ci.sh": "echo packages"}
    for path, text in {**{f"deploy/{name}": text for name, text in scripts.items()}, "npm": "echo built"}.items():
        (tmp_path / path).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (tmp_path / path).chmod(0o755)
    (tmp_path / "services/edge/web").mkdir(parents=True)
    (tmp_path / "services/edge/web/package.json").touch()
    done = subprocess.run([tmp_path / "deploy/pages.sh"], capture_output=True, text=True, check=True)
    assert [line.split()[1] for line in done.stdout.splitlines()] == ["finding", "installing", "building"]
    assert (tmp_path / "build/pages.log").read_text(encoding="utf-8") == "packages\nbuilt\n"
    assert (tmp_path / "build/pages.stamp").exists()
