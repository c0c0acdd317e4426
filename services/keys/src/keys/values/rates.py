"""Rate limits of a key: a token bucket for bursts, refilled at the rate per minute, and a count per clock minute.

Integers only: instants in microseconds since 1970, bucket levels in millionths of a request.
"""

from dataclasses import dataclass, replace

_MICRO = 1_000_000
_MINUTE_S = 60
_MINUTE_US = _MINUTE_S * _MICRO
CLOCK_TOLERANCE_US = 20 * _MICRO
"""How far the clock of one replica may be ahead of another's: each differs from the database's by at most 10 s. Within
this difference a state keeps its time. Otherwise, alternating requests at two replicas would fill the bucket twice.
"""


@dataclass(frozen=True)
class RateState:
    """The used part of the limits. `bucket` is the level at `bucket_at_us`, without the `leased` requests: those of
    leases that have not ended.
    """

    bucket: int
    bucket_at_us: int
    minute: int
    minute_count: int
    leased: int = 0

    @classmethod
    def full(cls, burst: int, now_us: int) -> "RateState":
        """Returns the state of an unused key."""
        return cls(burst * _MICRO, now_us, now_us // _MINUTE_US, 0)

    def at(self, now_us: int, per_minute: int, burst: int) -> "RateState":
        """Returns the same state later. A clock behind another replica's refills nothing. A state from further in the
        future was written by a clock that jumped, and is replaced by that of an unused key.

        The bucket has no place for what is leased: an edge may still use all of it.
        """
        if self.bucket_at_us > now_us + CLOCK_TOLERANCE_US or self.minute > (now_us + CLOCK_TOLERANCE_US) // _MINUTE_US:
            return RateState.full(burst, now_us)
        elapsed = max(0, now_us - self.bucket_at_us)
        level = min((burst - self.leased) * _MICRO, self.bucket + elapsed * per_minute // _MINUTE_S)
        minute = max(self.minute, now_us // _MINUTE_US)
        count = self.minute_count if minute == self.minute else 0
        return RateState(level, max(now_us, self.bucket_at_us), minute, count, self.leased)

    def wait_s(self, per_minute: int) -> int:
        """Seconds until the next request is allowed; 0 if it is allowed now. Needs a state that `at` returned."""
        waits = [0]
        if self.bucket < _MICRO:
            missing = _MICRO - self.bucket
            waits.append(_ceil(missing * _MINUTE_S, max(per_minute, 1) * _MICRO))
        if self.minute_count >= per_minute:
            waits.append(self.minute_reset_s)
        return max(waits)

    def free_requests(self, per_minute: int) -> int:
        """The requests that are allowed now."""
        return max(0, min(self.bucket // _MICRO, per_minute - self.minute_count))

    def taken(self, requests: int) -> "RateState":
        """Returns the state after a lease of so many requests."""
        return replace(
            self,
            bucket=self.bucket - requests * _MICRO,
            minute_count=self.minute_count + requests,
            leased=self.leased + requests,
        )

    def returned(self, leased: int, unused: int, lease_minute: int, burst: int) -> "RateState":
        """Returns the state after a lease of so many requests has ended. `lease_minute` is the one that it began in."""
        still_leased = max(0, self.leased - leased)
        return replace(
            self,
            bucket=min((burst - still_leased) * _MICRO, self.bucket + unused * _MICRO),
            minute_count=max(0, self.minute_count - unused) if self.minute == lease_minute else self.minute_count,
            leased=still_leased,
        )

    @property
    def burst_remaining(self) -> int:
        return max(0, self.bucket) // _MICRO

    def burst_reset_s(self, per_minute: int, burst: int) -> int:
        """Seconds until the bucket is full."""
        return _ceil((burst * _MICRO - self.bucket) * _MINUTE_S, max(per_minute, 1) * _MICRO)

    @property
    def minute_reset_s(self) -> int:
        """Seconds until the end of the minute, at least 1."""
        return max(1, _ceil((self.minute + 1) * _MINUTE_US - self.bucket_at_us, _MICRO))


def _ceil(number: int, divisor: int) -> int:
    return -(-number // divisor)
