"""Completes the stored land units of communes that partners asked for, while the service is idle."""

import time
from collections.abc import Callable, Sequence

from land.units.stored import RequestedUnits
from servicekit.background import Repeated
from servicekit.languages import in_language

INTERVAL_S = 3600.0
ASKED_WITHIN_S = 7 * 24 * 3600.0
PAUSE_S = 0.05
"""The pause after each land unit: most take a tenth of it to compute, and less to find."""


class Warming(Repeated):
    """A background task. Every INTERVAL_S it computes each parcel of these communes in the languages that were asked
    for, one after the other, unless it is stored already.
    """

    def __init__(
        self,
        stored: RequestedUnits,
        parcels_of: Callable[[str], Sequence[str]],
        compute: Callable[[str], None],
        is_idle: Callable[[], bool],
    ) -> None:
        """`parcels_of` lists the parcels of a commune; `compute` stores the land unit of one parcel."""
        super().__init__("warming", INTERVAL_S, self.complete)
        self._stored = stored
        self._parcels_of = parcels_of
        self._compute = compute
        self._is_idle = is_idle

    def complete(self) -> None:
        """Does one round. Ends early if the file of stored units is half full: what requests stored must stay."""
        for commune, language in self._stored.asked_since(time.monotonic() - ASKED_WITHIN_S):
            with in_language(language):
                for parcel_id in self._parcels_of(commune):
                    while not self.ending.wait(PAUSE_S) and not self._is_idle():
                        ...
                    if self.ending.is_set() or not self._stored.has_room:
                        return
                    self._compute(parcel_id)
