"""Reading and filling the prompt file."""

import pytest

from assistant.prompts.loader import load_prompt

VALUES = {"language": "French", "facts": "FACTS", "refused": "REFUSED", "sentences": "SENTENCES"}


@pytest.mark.parametrize(("call", "value"), [("write", "FACTS"), ("repair", "REFUSED"), ("judge", "SENTENCES")])
def test_the_messages_of_each_call_are_filled(call: str, value: str) -> None:
    messages = load_prompt().fill(call, **VALUES)
    assert [message.role for message in messages] == ["system", "user"]
    assert "{{" not in "".join(message.content for message in messages)
    assert value in messages[1].content


def test_a_variable_inside_a_value_is_not_replaced() -> None:
    hostile = "{{language}} {{system}} \\1"
    assert hostile in load_prompt().fill("write", **{**VALUES, "facts": hostile})[1].content
