"""When the circuit breaker of a host opens, and when it closes again."""

from land.loading.publisher_calls import FAILURES, PAUSE_S, Breakers

URL = "https://publisher.example/a/b"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def opened() -> tuple[Breakers, Clock]:
    clock = Clock()
    breakers = Breakers(clock)
    for _ in range(FAILURES):
        assert breakers.allows(URL)
        breakers.failed(URL)
    return breakers, clock


def test_a_host_that_fails_repeatedly_is_not_requested_during_the_pause() -> None:
    breakers, clock = opened()
    assert not breakers.allows(URL)
    assert not breakers.allows("https://PUBLISHER.example/other")
    assert breakers.allows("https://mirror.example/a/b")
    clock.now += PAUSE_S
    assert breakers.allows(URL)
    assert not breakers.allows(URL)  # another caller is trying


def test_one_success_closes_the_breaker() -> None:
    breakers, clock = opened()
    clock.now += PAUSE_S
    assert breakers.allows(URL)
    breakers.succeeded(URL)
    assert all(breakers.allows(URL) for _ in range(10))


def test_one_more_failure_opens_the_breaker_again() -> None:
    breakers, clock = opened()
    clock.now += PAUSE_S
    assert breakers.allows(URL)
    breakers.failed(URL)
    assert not breakers.allows(URL)


def test_failures_that_are_not_consecutive_do_not_count() -> None:
    breakers = Breakers(Clock())
    for _ in range(3 * FAILURES):
        breakers.failed(URL)
        breakers.succeeded(URL)
    assert breakers.allows(URL)
