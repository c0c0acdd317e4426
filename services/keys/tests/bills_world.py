"""Uses keys, closes months and reads bills, for the tests of billing."""

from keys_world import World

from keys.store import billing
from keys.store.billing import Bills, MonthCloser
from keys.store.rollups import Scope
from keys.values.clock import Clock
from keys.values.company_numbers import Seller
from keys.values.outcomes import Outcome
from keys.values.pricing import Bill

SELLER = Seller(
    legal_name="Foncier & fils SAS",
    lines=("1 rue de la Paix",),
    postcode="75002",
    city="Paris",
    siren="732 829 320",
    vat_number="FR44732829320",
    iban="FR76 3000 6000 0112 3456 7890 189",
    legal_note="SAS au capital de 10 000 €",
)


def bills(world: World, month: str, scope: Scope | None = None) -> Bills:
    with world.database.reading() as connection:
        return billing.bills_of(connection, month, scope or Scope())


def only(month_bills: Bills) -> Bill:
    (bill,) = month_bills.bills
    return bill


def use(world: World, secret: str, times: int) -> None:
    world.record([world.outcome(world.ask(secret)) for _ in range(times)])


def held(world: World, secret: str) -> Outcome:
    return world.outcome(world.ask(secret))


def close_next(world: World, database_clock: Clock | None = None) -> str | None:
    """Closes by the world's clock, and by another one as the database's."""
    at = database_clock or world.clock
    return MonthCloser(world.database, world.clock, SELLER, lambda _: at()).close_next()


def close(world: World) -> list[str]:
    """Closes all that is due."""
    return list(iter(lambda: close_next(world), None))


def issue_held(world: World) -> None:
    MonthCloser(world.database, world.clock, SELLER, lambda _: None).issue_held()
