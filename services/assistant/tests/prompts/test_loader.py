"""Reading and filling prompt files."""

from pathlib import Path

import pytest

from assistant.prompts.loader import DIVIDE_LAND, DIVIDE_LAND_VERSION, PromptError, load_prompt

GOOD = """
variables = ["question"]
default_question = "Diviser"
[messages]
system = "Answer."
user = "{{ question }} {{question}}"
"""


def write(folder: Path, content: str) -> Path:
    (folder / "p").mkdir()
    (folder / "p" / "1.toml").write_text(content, encoding="utf-8")
    return folder


def test_the_current_prompt_loads_and_has_its_variables() -> None:
    prompt = load_prompt(DIVIDE_LAND, DIVIDE_LAND_VERSION)
    assert prompt.default_question == "Diviser un terrain"
    messages = prompt.fill(dict.fromkeys(prompt.variables, "VALUE"))
    assert [message.role for message in messages] == ["system", "user"]
    assert "{{" not in "".join(message.content for message in messages)
    assert "VALUE" in messages[1].content


def test_a_variable_inside_a_value_is_not_replaced(tmp_path: Path) -> None:
    prompt = load_prompt("p", "1", write(tmp_path, GOOD))
    hostile = "{{question}} {{system}} \\1 </question>"
    assert prompt.fill({"question": hostile})[1].content == f"{hostile} {hostile}"


@pytest.mark.parametrize("values", [{}, {"question": "q", "other": "o"}, {"other": "o"}])
def test_a_missing_or_unknown_value_is_refused(tmp_path: Path, values: dict[str, str]) -> None:
    prompt = load_prompt("p", "1", write(tmp_path, GOOD))
    with pytest.raises(PromptError, match="missing or unknown"):
        prompt.fill(values)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (GOOD.replace("Answer.", "Answer {{nothing}}."), "unknown or never used: nothing"),
        (GOOD.replace('["question"]', '["question", "unused"]'), "unknown or never used: unused"),
        (GOOD.replace("Answer.", "Answer {{Question!}}").replace('["question"]', '["question", "q"]'), "never used: q"),
        (GOOD.replace("system", "sistem"), "malformed"),
        (GOOD + "[", "malformed"),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    with pytest.raises(PromptError, match=reason):
        load_prompt("p", "1", write(tmp_path, content))


@pytest.mark.parametrize(("name", "version"), [("none", "1"), ("p", "2"), ("../p", "1"), ("p", "../1")])
def test_a_prompt_that_does_not_exist_is_refused(tmp_path: Path, name: str, version: str) -> None:
    with pytest.raises(PromptError):
        load_prompt(name, version, write(tmp_path, GOOD))
