"""Runs histories of leases: requests, losses, pauses, crashes and revocations at times that a seed decides."""

import argparse
import random

from leases.simulation import Edge, Keys, Request, Site, Violation

from contract.endpoints import GEOJSON, RESOLVE
from edge.leases.decisions import RequestKind
from keys.values.lease_rules import LEASE_LIFETIME
from keys.values.policy import Quota

CALM_S = 8.0
"""Seconds without losses at the end, in which everything is counted and returned."""
MOST_PAUSE_S = 15.0


def run_history(seed: int, keys_class: type[Keys] = Keys, edge_class: type[Edge] = Edge) -> Site:
    """Runs one history. Raises Violation."""
    chance = random.Random(seed)  # noqa: S311 (must be repeatable)
    site = Site(seed, loss=chance.choice((0.0, 0.05, 0.3)), locked=chance.choice((0.0, 0.0, 0.5, 0.9)))
    limit = chance.choice((3, 10, 40))
    quota = Quota(limit, per_minute=chance.choice((60, 600)), burst=chance.choice((3, 20, 100)))
    keys = keys_class(site, quota)
    edges = [edge_class(site, keys, number) for number in range(chance.randint(1, 3))]
    is_exact = chance.random() < 0.5
    if not is_exact:
        keys.clock_offsets = [chance.uniform(-5, 5) for _ in range(3)]
    if chance.random() < 0.3:
        _add_pause(site, edges, chance)
    _add_requests(site, edges, chance)
    if chance.random() < 0.4:
        _add_crash(site, keys, edges, chance)
    if chance.random() < 0.3:
        edge = chance.choice(edges)
        site.after(chance.uniform(0, 3), lambda: setattr(edge, "is_cut_off", True))
        site.after(chance.uniform(3, 6), lambda: setattr(edge, "is_cut_off", False))
    if is_revoked := chance.random() < 0.4:
        _add_revocation(site, keys, edges, chance)
    try:
        site.run_until(site.settles_until - CALM_S)
        site.loss = site.locked = 0.0
        site.run_until(site.settles_until)
        _check_counted(site, keys)
        for seconds in (50, 500, LEASE_LIFETIME.total_seconds() + 20):
            site.run_until(site.settles_until + seconds)
            keys.lapse()
            _check_returned(keys, edges)
        _check_at_rest(keys)
        if is_exact:
            _check_rates(site, quota)
        if not is_revoked:
            _check_granted_again(site, keys, edges)
    except Violation as violation:
        raise Violation(f"seed {seed}: {violation}\n" + "\n".join(site.log)) from violation
    return site


def _add_pause(site: Site, edges: list[Edge], chance: random.Random) -> None:
    """Stops an edge that has admitted a request before, and lets others come meanwhile."""
    edge, at, seconds = chance.choice(edges), chance.uniform(0, 5), chance.uniform(0.5, MOST_PAUSE_S)
    site.settles_until += MOST_PAUSE_S
    for _ in range(chance.randint(0, 3)):
        _begin_after(site, at - chance.uniform(0, min(at, 1.2)), edge, RequestKind(RESOLVE, "192.0.2.7"))
    site.after(at, lambda: edge.pause(seconds))


def _add_requests(site: Site, edges: list[Edge], chance: random.Random) -> None:
    for _ in range(chance.randint(1, 4)):
        at, edge = chance.uniform(0, site.settles_until - CALM_S - 1), chance.choice(edges)
        for _ in range(chance.choice((1, 1, 3, 12))):
            kind = RequestKind(chance.choice((RESOLVE, GEOJSON)), "192.0.2.7")
            delay = at + chance.choice((0.0, 0.0, chance.uniform(0, 1)))
            _begin_after(site, delay, edge, kind)


def _begin_after(site: Site, delay: float, edge: Edge, kind: RequestKind) -> None:
    site.after(delay, lambda: edge.begin(Request(kind, site.now)))


def _add_revocation(site: Site, keys: Keys, edges: list[Edge], chance: random.Random) -> None:
    """Revokes the key between two requests of an edge, the second of which is near the answer of the revocation."""
    at, edge = chance.uniform(0.3, 4), chance.choice(edges)
    site.after(at, lambda: keys.revoke(lambda: setattr(keys, "narrowed_at", site.now)))
    for delay in (at - chance.uniform(0.0, 0.3), at + chance.uniform(0.0, 1.5)):
        for _ in range(3):
            _begin_after(site, delay, edge, RequestKind(RESOLVE, "192.0.2.7"))


def _add_crash(site: Site, keys: Keys, edges: list[Edge], chance: random.Random) -> None:
    """Kills an edge, and lets another process adopt its spool."""
    edge = chance.choice(edges)
    if len(edges) == 1:
        return

    def send() -> None:
        keys.settle(list(edge.spool.values()), [], [])
        edge.spool.clear()

    def adopt() -> None:
        send()
        keys.settle([], [], [edge.holder])

    at = chance.uniform(0, 5)
    site.after(at, edge.crash)
    if chance.random() < 0.8:
        site.after(at + chance.uniform(0.5, 5), adopt)
    else:
        site.after(12.0, send)


def _check_counted(site: Site, keys: Keys) -> None:
    """Every outcome is counted once."""
    numbers = {outcome.id for outcome in site.outcomes}
    if keys.events != numbers:
        raise Violation(f"outcomes {numbers ^ keys.events} are not counted")
    units = sum(outcome.units for outcome in site.outcomes if outcome.is_charged)
    if keys.month.units != units:
        raise Violation(f"{keys.month.units} units are counted instead of {units}")


def _check_returned(keys: Keys, edges: list[Edge]) -> None:
    """A living edge has returned all that it leased, also by a lease whose end came first."""
    alive = {edge.holder: edge for edge in edges if edge.is_alive}
    for lease in keys.leases.values():
        if lease.holder in alive and not lease.is_over and lease.id not in alive[lease.holder].refused:
            raise Violation(f"{lease} is kept")


def _check_at_rest(keys: Keys) -> None:
    """Nothing is reserved when nothing is under way."""
    if keys.leases or keys.month.reserved_units or keys.rates.leased:
        raise Violation(f"{keys.leases}, {keys.month} and {keys.rates} at rest")


def _check_rates(site: Site, quota: Quota) -> None:
    times = [at for at, _ in site.admitted]
    for first, start in enumerate(times):
        for last in range(first, len(times)):
            if last - first + 1 > quota.burst + quota.per_minute / 60 * (times[last] - start) + 1e-3:
                raise Violation(f"{last - first + 1} requests in {times[last] - start:.3f} s")


def _check_granted_again(site: Site, keys: Keys, edges: list[Edge]) -> None:
    """What is left can be used."""
    limit = keys.policy.quota.monthly_units
    alive = [edge for edge in edges if edge.is_alive]
    if limit is None or not alive or keys.month.units >= limit:
        return
    admitted = len(site.admitted)
    _begin_after(site, 0.0, alive[0], RequestKind(RESOLVE, "192.0.2.7"))
    site.run_until(site.now + 3)
    if len(site.admitted) == admitted:
        raise Violation(f"{limit - keys.month.units} units are left, and a request was refused")


def main() -> None:
    parser = argparse.ArgumentParser(description="Runs many histories of leases, and stops at the first violation.")
    parser.add_argument("--histories", type=int, default=1_000_000)
    parser.add_argument("--first-seed", type=int, default=0)
    arguments = parser.parse_args()
    admitted = 0
    for seed in range(arguments.first_seed, arguments.first_seed + arguments.histories):
        admitted += len(run_history(seed).admitted)
        if (seed + 1) % 10_000 == 0:
            print(f"{seed + 1} histories, {admitted} admitted requests, no violation", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
