from servicekit import context


def test_the_ids_of_a_batch_travel_together() -> None:
    ids = [f"{'x' * 60}{number}" for number in range(100)]
    sent = context.joined(ids)
    assert len(sent) <= context.MAX_IDS_BYTES
    received = context.accept_request_ids(sent).split(" ")
    assert received == ids[: len(received)]
    assert len(received) > context.MAX_IDS_BYTES // 64


def test_an_unsafe_id_of_a_batch_is_replaced() -> None:
    first, second, third = context.accept_request_ids("one t\nwo three").split(" ")
    assert (first, third) == ("one", "three")
    assert second.isalnum()
    assert " " not in context.accept_request_ids("x " * context.MAX_IDS_BYTES)


def test_one_request_of_a_batch_has_its_own_id() -> None:
    context.request_id.set("one two")
    request_ids = []
    for index in range(3):
        with context.one_of_batch(index):
            request_ids.append(context.request_id.get())
    assert request_ids == ["one", "two", "one two"]
    assert context.request_id.get() == "one two"
