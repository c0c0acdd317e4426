"""A study follows the project that the question tells: assumptions, drawing, checks and procedure agree."""

import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shapely import Polygon, box

from assistant.assessment.facts import LandFacts
from assistant.assessment.result import Verdict
from assistant.models.base import Brief, Study
from assistant.models.rules import passages
from assistant.project import WishedLot
from assistant.prompts.loader import load_prompt
from assistant.study import study
from landpartner.land.v1 import land_pb2

MakeUnit = Callable[..., land_pb2.LandUnit]


def study_of(unit: land_pb2.LandUnit, question: str) -> Study:
    return study(LandFacts(unit), question)


def told(done: Study) -> dict[str, float]:
    return {assumption.name: assumption.value for assumption in done.assumptions}


@pytest.mark.parametrize("size", [(90, 14), (60, 70)])
def test_a_shared_way_takes_a_permit_even_if_it_cannot_be_drawn(land_unit: MakeUnit, size: tuple[int, int]) -> None:
    done = study_of(land_unit(*size), "6 lots desservis par une voie commune")
    assert done.assessment.procedure.code == "permis_amenager"
    assert told(done)["has_shared_way"] == 1
    is_drawn = done.division.proposals[0].shared_way is not None
    assert is_drawn == (size == (60, 70))
    assert ("Aucune voie commune" in done.assumptions[0].detail.fr) == (not is_drawn)


def test_no_way_is_drawn_if_the_project_excludes_it(land_unit: MakeUnit) -> None:
    done = study_of(land_unit(60, 70), "6 lots sans voie commune")
    assert all(proposal.shared_way is None for proposal in done.division.proposals)
    assert done.assessment.procedure.code == "declaration_prealable"


@pytest.mark.parametrize("text", ["Je garde le reste", "On vend juste le haut, un seul terrain", "détacher 1 lot"])
def test_a_piece_and_what_is_left_are_two_lots(land_unit: MakeUnit, text: str) -> None:
    done = study_of(land_unit(60, 70), text)
    assert len(done.division.proposals[0].lots) == done.division.lot_count == 2
    assert "demandé" not in done.assumptions[0].detail.fr


@pytest.mark.parametrize(
    ("text", "lots"),
    [
        ("Diviser en 3 lots", "3 lots "),
        ("garder la maison, vendre le fond du jardin", "2 lots "),
        ("vendre un bout au voisin, donner un bout à ma fille", "2 lots (nombre à confirmer) "),
        ("3 lots à bâtir, et je garde tout le terrain du haut", "3 lots (nombre à confirmer) "),
        ("Je pensais 3 lots mais mon notaire dit que 2 c'est mieux", "2 lots (nombre à confirmer) "),
        ("Wij willen twee kavels van elk 400 m² verkopen en het huis houden", "2 lots (nombre à confirmer) "),
        ("C'est pas quatre lots, c'est trois, et on garde la moitié du pré", "3 lots "),
        ("Soit A : 3 lots et on vend tout. Soit B : un seul lot de 500 m² devant", "3 lots (nombre à confirmer) "),
    ],
)
def test_a_number_of_lots_that_is_not_surely_told_is_to_be_confirmed(land_unit: MakeUnit, text: str, lots: str) -> None:
    assert lots in study_of(land_unit(60, 70), text).assessment.summary.fr


@pytest.mark.parametrize(
    ("text", "size", "told"),
    [
        ("4 à 6 lots à bâtir", (120, 40), "6 lots (de 4 à 6 demandés, le plus grand nombre qui tient)"),
        ("Entre 2 et 6 lots à bâtir", (44, 40), "4 lots (de 2 à 6 demandés, le plus grand nombre qui tient)"),
        ("3 ou 4 lots", (16, 26), "(de 3 à 4 demandés, aucun ne tient)"),
    ],
)
def test_a_range_of_lots_is_studied_as_the_largest_number_that_fits(
    land_unit: MakeUnit, text: str, size: tuple[int, int], told: str
) -> None:
    done = study_of(land_unit(*size), text)
    assert told in done.assessment.summary.fr
    assert done.project.lot_count == done.division.lot_count


@pytest.mark.parametrize(("text", "is_open"), [("Diviser en 2 lots", True), ("2 lots, une maison de 10 × 12 m", False)])
def test_a_declaration_has_its_condition_unless_building_is_told(land_unit: MakeUnit, text: str, is_open: bool) -> None:
    done = study_of(land_unit(60, 40), text)
    [procedure] = [check for check in done.assessment.checks if check.code == "lotissement_procedure"]
    assert procedure.value == "declaration_prealable"
    assert procedure.detail.fr.startswith("Si un lot est destiné à être bâti, la division") is is_open


def test_a_strip_for_a_neighbour_names_its_side(land_unit: MakeUnit) -> None:
    text = text_of(study_of(land_unit(30, 40), wish := "Mon voisin m’achète une bande de 3 m de large"), wish)
    assert re.search(r"Lots\s: A de \d+\sm² côté \w+\s; B de", text)


def test_a_lot_has_its_area_without_its_strip(land_unit: MakeUnit) -> None:
    done = study_of(land_unit(30, 60), wish := "détacher 700 m² au fond")
    lot = next(lot for lot in done.division.proposals[0].lots if lot.strip_m2)
    net = f"{lot.area_m2 - lot.strip_m2:.0f}\N{NO-BREAK SPACE}m² sans sa bande d’accès"
    assert net in text_of(done, wish)


def test_land_that_the_plan_draws_larger_says_so(land_unit: MakeUnit) -> None:
    unit = land_unit(30, 40)
    unit.land.cadastral_area_m2 = 1190.0
    assert "pour une contenance de 1\u202f190" in text_of(study_of(unit, "Diviser en 2 lots"), "Diviser en 2 lots")


def test_a_range_of_lots_is_said_and_the_largest_number_that_fits_is_studied(land_unit: MakeUnit) -> None:
    done = study_of(land_unit(60, 70), "entre 5 et 12 lots, de 500 à 700 m²")
    assert done.assessment.summary.fr.startswith("Division en 8 lots (de 5 à 12 demandés")
    assert (done.project.lot_count, done.division.lot_count) == (None, 8)


@pytest.mark.parametrize(
    ("text", "size", "lots"),
    [
        ("Je garde la maison sur 600 m² et je vends 2 à 3 lots de 500 m²", (42, 50), "4 lots (de 3 à 4 demandés"),
        ("2 à 40 lots", (300, 60), "12 lots (de 2 à 40 demandés"),
    ],
)
def test_a_range_counts_the_other_lots_and_is_drawn_up_to_twelve(
    land_unit: MakeUnit, text: str, size: tuple[int, int], lots: str
) -> None:
    assert f"ivision en {lots}" in study_of(land_unit(*size), text).assessment.summary.fr


def test_lots_in_fields_win_over_a_range_of_the_text(land_unit: MakeUnit) -> None:
    done = study(LandFacts(land_unit(60, 70)), "2 à 4 lots", {"lots": (WishedLot(count=2, area_m2=400.0),)})
    assert [lot.area_m2 for lot in done.division.proposals[0].lots][:2] == pytest.approx([400, 400], rel=0.02)
    assert len(done.division.proposals[0].lots) == 3


def test_lots_in_a_language_that_is_not_read_are_not_told(land_unit: MakeUnit) -> None:
    done = study_of(land_unit(60, 70), "Wij willen twee kavels van elk 400 m² verkopen en het huis houden")
    assert done.headline.fr.startswith("Si ce terrain était divisé en 2 lots (nombre à confirmer)")


def test_a_number_of_lots_in_fields_is_sure(land_unit: MakeUnit) -> None:
    done = study(LandFacts(land_unit(60, 70)), "garder la maison, vendre le fond du jardin", {"lot_count": 2})
    assert "à confirmer" not in done.assessment.summary.fr


def test_a_lot_of_at_most_so_much_fits_on_less(land_unit: MakeUnit) -> None:
    done = study_of(land_unit(30, 30), "détacher un lot de 1 200 m² au plus")
    assert done.division.limitations == ()
    assert [wish.status for wish in done.wishes if wish.field == "/lots/0"] == ["followed"]


def test_areas_that_fill_the_land_leave_nothing_to_the_other_lots(land_unit: MakeUnit) -> None:
    done = study_of(land_unit(30, 30), "un lot de 900 m² et 2 lots avec le reste")
    assert "900\xa0m² en tout, laissent trop peu de 900\xa0m² aux autres lots" in done.assessment.summary.fr


def test_two_lots_share_a_way(land_unit: MakeUnit) -> None:
    done = study_of(land_unit(30, 60), "2 lots avec une voie commune")
    assert done.division.proposals[0].shared_way is not None
    assert done.assessment.procedure.code == "permis_amenager"


def test_the_way_of_a_house_and_one_plot_is_no_common_work(land_unit: MakeUnit) -> None:
    house = box(8, 8, 18, 16)
    done = study_of(land_unit(34, 60, buildings=[house]), "Garder la maison et un lot, avec une voie commune")
    assert done.assessment.procedure.code == "declaration_prealable"


@pytest.mark.parametrize("zone_type", ["U", "N"])
def test_land_for_a_neighbour_makes_no_lotissement(land_unit: MakeUnit, zone_type: str) -> None:
    unit = land_unit(zone_type=zone_type, buildings=[box(8, 6, 20, 16)])
    done = study_of(unit, "Je cède 30 m² à mon voisin pour élargir son jardin")
    checks = {check.code: check for check in done.assessment.checks}
    assert (checks["lotissement_definition"].value, done.assessment.procedure.code) == (False, "exempt")
    assert done.assessment.verdict is Verdict.FAVOURABLE
    sold, rest = sorted(done.division.proposals[0].lots, key=lambda lot: lot.area_m2)
    assert (sold.role, rest.role) == ("neighbour_plot", "rest")
    assert sold.area_m2 == pytest.approx(30, rel=0.05)
    assert not sold.violations


def test_the_house_stays_on_the_rest_beside_land_for_a_neighbour(land_unit: MakeUnit) -> None:
    """Its plot is not drawn, though the land has room for it."""
    unit = land_unit(60, 80, buildings=[box(20, 10, 32, 19)])
    done = study_of(unit, "Vendre la moitié de mon jardin à mon voisin : faut-il un géomètre ?")
    assert all({lot.role for lot in p.lots} == {"neighbour_plot", "rest"} for p in done.division.proposals)
    assert "boundary_survey" in {code for reply in done.replies.answered for code in reply.codes}


def test_who_divides_and_builds_needs_a_building_permit(land_unit: MakeUnit) -> None:
    done = study_of(land_unit(60, 40), "Un promoteur construit 4 maisons et les vend")
    assert done.assessment.procedure.code == "permis_construire_valant_division"
    assert done.division.lot_count == 4


def test_the_stricter_figure_is_used(land_unit: MakeUnit) -> None:
    unit = land_unit()
    unit.urbanism.prescriptions.add(
        label="Recul de 4 m", type_code="15", subtype_code="02", geometry_kind="surface", overlap_area_m2=1200.0
    )
    plain, stricter = study_of(unit, "2 lots, recul de 3 m"), study_of(unit, "2 lots, 6 m de recul")
    assert (told(plain)["setback_m"], told(stricter)["setback_m"]) == (4, 6)
    sentences = [next(a.detail.fr for a in s.assumptions if a.name == "setback_m") for s in (plain, stricter)]
    assert [sentence.split()[0] for sentence in sentences] == ["Une", "La"]
    assert sum(lot.buildable_area_m2 for lot in stricter.division.proposals[0].lots) < sum(
        lot.buildable_area_m2 for lot in plain.division.proposals[0].lots
    )


def test_a_footprint_that_is_told_limits_what_can_be_built(land_unit: MakeUnit) -> None:
    lots = study_of(land_unit(), "2 lots, 10 % d’emprise").division.proposals[0].lots
    assert all(lot.buildable_area_m2 <= 0.1 * lot.area_m2 + 0.01 for lot in lots)


@pytest.mark.parametrize(
    ("question", "sides"),
    [("Diviser en 2 lots, une maison de 10 × 12 m sur le nouveau", "10 m sur 12 m"), ("", "8 m sur 15 m")],
)
def test_a_house_that_is_told_is_named_and_fitted(land_unit: MakeUnit, question: str, sides: str) -> None:
    house = {"lot_count": 2, "footprint_m2": 120.0}
    fitting = study(LandFacts(land_unit(40, 40)), question, house)
    assert (
        f"avec une maison de 120\N{NO-BREAK SPACE}m² au sol ({spaced(sides)}) paraît" in fitting.assessment.summary.fr
    )
    lots = fitting.division.proposals[0].lots
    assert {lot.told_house_m for lot in lots} == {fitting.division.assumptions.house_sides_m}
    assert f"place pour la maison de {spaced(sides)}" in text_of(fitting, question)
    narrow = study(LandFacts(land_unit(16, 26)), question, house)
    summary = narrow.assessment.summary.fr
    assert f"n’a la place d’une maison de 120\N{NO-BREAK SPACE}m² au sol ({spaced(sides)})" in summary
    assert "possible" not in summary
    assert narrow.assessment.verdict is Verdict.UNFAVOURABLE


def spaced(lengths: str) -> str:
    return lengths.replace(" m", "\N{NO-BREAK SPACE}m")


def text_of(done: Study, question: str) -> str:
    brief = Brief(**vars(done), question=question, language="fr", prompt=load_prompt())
    return "".join(passage.text for passage in passages(brief))


def test_a_lot_that_needs_a_right_of_way_says_so_first_and_in_its_line(land_unit: MakeUnit) -> None:
    done = study_of(land_unit(14.4, 80, buildings=[box(0.2, 6, 11, 16)]), "Diviser en 2 lots")
    assert [lot.access for lot in done.division.proposals[0].lots] == ["frontage", "right_of_way"]
    assert "possible, mais il faut une servitude de passage" in done.assessment.summary.fr
    assert "pour accéder au lot B, sans façade sur la voie" in done.assessment.summary.fr
    assert "m², sans façade\N{NO-BREAK SPACE}: accès par une servitude de passage à créer" in text_of(done, "")


@pytest.mark.parametrize("zone_type", ["U", "AUc"])
def test_an_unknown_access_stands_in_the_first_sentence(land_unit: MakeUnit, zone_type: str) -> None:
    unit = land_unit(40, 40, zone_type=zone_type)
    unit.land.ClearField("frontage_m")
    unit.land.ClearField("frontage")
    summary = study_of(unit, "Diviser en 2 lots").assessment.summary.fr
    assert ("le zonage, puis l’accès" if zone_type == "AUc" else "l’accès") in summary


def test_a_boundary_near_a_building_has_its_distance(land_unit: MakeUnit) -> None:
    done = study_of(land_unit(30, 20, buildings=[box(4, 3, 14, 15), box(16, 3, 26, 15)]), "Diviser en 2 lots égaux")
    assert "limite à 1\N{NO-BREAK SPACE}m du bâtiment existant" in text_of(done, "")


@pytest.mark.parametrize(
    ("text", "bounds_m2"),
    [
        ("détacher un lot d’environ 700 m²", (630, 770)),
        ("détacher un lot de 700 m² à peu près", (630, 770)),
        ("detach a plot of roughly 700 m²", (630, 770)),
        ("détacher un lot de 700 m²", None),
        ("environ 3 personnes veulent détacher un lot de 700 m²", None),
    ],
)
def test_an_area_that_is_told_as_approximate_may_be_another_one(
    land_unit: MakeUnit, text: str, bounds_m2: tuple[float, float] | None
) -> None:
    [lot] = study_of(land_unit(40, 40), text).division.project.lots
    assert (lot.area_m2, lot.bounds_m2) == (700, bounds_m2 and pytest.approx(bounds_m2))


@pytest.mark.parametrize(("area", "status"), [(400, "followed"), (900, "not_followed")])
def test_the_largest_part_is_kept_or_its_reason_has_both_areas(land_unit: MakeUnit, area: int, status: str) -> None:
    unit = land_unit(30, 40, buildings=[box(8, 1, 18, 6)])
    done = study_of(unit, f"Détacher {area} m² au fond, la maison garde la plus grande partie")
    [wish] = [wish for wish in done.wishes if wish.meaning.fr == "la plus grande part gardée"]
    assert wish.status == status
    assert ("la part gardée 300" in wish.reason.fr) == (status == "not_followed")


@pytest.mark.parametrize("text", ["Diviser en deux avec un lot en drapeau", "Two plots, one flag plot"])
def test_a_flag_lot_that_is_asked_for_comes_first(land_unit: MakeUnit, text: str) -> None:
    assert [lot.access for lot in study_of(land_unit(30, 60), text).division.proposals[0].lots] == ["frontage", "strip"]


def test_what_is_not_answered_stands_behind_the_answer(land_unit: MakeUnit) -> None:
    question = "Quelle est la couleur du portail du voisin ? Quelle est la superficie du terrain ?"
    text = text_of(study_of(land_unit(40, 40), question), question)
    assert (
        text.index("Quelle est la superficie")
        < text.index("Lots")
        < text.index("Ce que les données ne permettent pas de dire")
    )


@pytest.mark.parametrize(
    "text", ["Je vends le fond du jardin, environ 300 m², à mon voisin", "3 lots, sans voie commune, 400 m² chacun"]
)
def test_what_tells_the_project_is_no_question(land_unit: MakeUnit, text: str) -> None:
    replies = study_of(land_unit(40, 40), text).replies
    assert [reply.statements for reply in replies.answered] == [()]
    assert not replies.unanswered


def test_a_demolition_frees_the_land(land_unit: MakeUnit) -> None:
    unit = land_unit(buildings=[box(5, 5, 25, 35)])
    done = study_of(unit, "Démolir la maison et faire 2 lots")
    assert not any(lot.has_existing_building for lot in done.division.proposals[0].lots)
    layout = next(check for check in done.assessment.checks if check.code == "division_layout")
    assert "démolition" in layout.detail.fr
    assert "terrain était nu" not in layout.detail.fr


PROJECTS = {
    "{n} lots avec une voie commune": "permis_amenager",
    "{n} equal plots with a shared driveway": "permis_amenager",
    "{n} lots sans voie commune": "declaration_prealable",
    "Un promoteur construit {n} maisons et les vend": "permis_construire_valant_division",
    "Je vends une bande à mon voisin pour agrandir son jardin": "exempt",
}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    width=st.integers(12, 80),
    depth=st.integers(12, 80),
    count=st.integers(2, 8),
    question=st.sampled_from(sorted(PROJECTS)),
    has_shed=st.booleans(),
)
def test_no_procedure_is_against_the_project(
    land_unit: MakeUnit, width: int, depth: int, count: int, question: str, *, has_shed: bool
) -> None:
    sheds: list[Polygon] = [box(4, 4, 8, 8)] if has_shed else []
    done = study_of(land_unit(width, depth, buildings=sheds), question.format(n=count))
    assert done.assessment.procedure.code == PROJECTS[question]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(width=st.integers(15, 90), depth=st.integers(15, 90), count=st.integers(2, 12))
def test_equal_lots_are_equal_or_the_departure_is_named(
    land_unit: MakeUnit, width: int, depth: int, count: int
) -> None:
    for proposal in study_of(land_unit(width, depth), f"{count} lots égaux").division.proposals:
        if proposal.largest_lot_m2 / proposal.smallest_lot_m2 > 1.11:
            assert any("uneven" in lot.violations for lot in proposal.lots)


@pytest.mark.parametrize(
    ("question", "asks_for_the_study"),
    [
        ("6 lots desservis par une voie commune", True),
        ("Can we get 6 houses with a shared driveway", True),
        ("Je cède 30 m² à mon voisin pour élargir son jardin", True),
        ("Deux terrains égaux svp", True),
        ("Mon voisin veut acheter une bande de 5 m", True),
        ("my neighbour wants to buy a strip along the fence", True),
        ("Combien de lots je peux faire ? Je pensais à 6", True),
        ("Où serait l'accès de 6 lots ?", False),
        ("Quels sont les risques", False),
    ],
)
def test_a_division_that_is_told_is_studied(land_unit: MakeUnit, question: str, asks_for_the_study: bool) -> None:
    done = study_of(land_unit(60, 70), question)
    assert ("division" in [reply.question.intent for reply in done.replies.answered]) == asks_for_the_study
    assert not asks_for_the_study or not done.replies.unanswered


def test_a_statement_is_made_once_and_fits_the_land(
    land_unit: MakeUnit, rich_unit: land_pb2.LandUnit, make_brief: Callable[..., Brief]
) -> None:
    """The surroundings of a monument, a house that no data places, and a clay study where no house is allowed."""
    for unit, question, sentence, count in (
        (rich_unit, "Diviser en 2 lots", "Le terrain est aux abords d’un monument historique", 1),
        (land_unit(), "Je garde la maison et je vends un lot", "les données ne situent pas de maison", 1),
        (land_unit(zone_type="N"), "Diviser en 2 lots", "La desserte par l’eau", 0),
    ):
        unit.risks.items.add(subject="clay", status="present", level="3")
        brief = make_brief(unit, "fr", question)
        assert "".join(passage.text for passage in passages(brief)).count(sentence) == count
        [soil] = [check for check in brief.assessment.checks if check.code == "soil_studies"]
        assert ("étude géotechnique" in soil.detail.fr) == (count > 0)


def test_a_house_that_nobody_sizes_may_be_small(land_unit: MakeUnit) -> None:
    """Where 8 × 8 m does not fit and 7 × 7 m does, the division is possible, with that house."""
    done = study_of(land_unit(26, 18), "Diviser en deux pour construire une petite maison")
    assert done.assessment.verdict is Verdict.CONDITIONAL
    said = done.assessment.summary.en.replace("\N{NO-BREAK SPACE}", " ")
    assert "a house of 7 m by 7 m at most fits there, setbacks of 3 m assumed" in said
    one_of_two = study_of(land_unit(20, 22), "Diviser en deux").assessment.summary
    assert "at most fits on only 1 building plot" in one_of_two.en
    sized = study_of(land_unit(26, 18), "Diviser en deux pour construire une maison de 8 m sur 8 m")
    assert sized.assessment.verdict is Verdict.UNFAVOURABLE


def test_a_gift_without_a_building_asks_for_no_house(land_unit: MakeUnit) -> None:
    done = study_of(land_unit(20, 14), "Je donne la moitié du terrain à ma sœur, sans rien construire.")
    assert done.assessment.verdict is not Verdict.UNFAVOURABLE
    assert "maison" not in done.assessment.summary.fr
    text = "".join(
        passage.text for passage in passages(Brief(**vars(done), question="", language="en", prompt=load_prompt()))
    )
    assert "As long as no lot is meant for building, dividing requires no lotissement formality" in text
    assert "see the notary" in text


def test_a_declaration_names_the_sites_that_would_make_it_a_permit(land_unit: MakeUnit) -> None:
    procedure = study_of(land_unit(60, 40), "2 lots").assessment.procedure
    assert procedure.code == "declaration_prealable"
    assert "hors site protégé (non connu ici), sinon permis d’aménager" in procedure.label.fr


def test_a_no_for_want_of_room_names_the_number_of_lots_that_works(land_unit: MakeUnit) -> None:
    done = study_of(land_unit(22, 40), "6 lots à bâtir")
    assert done.assessment.verdict is Verdict.UNFAVOURABLE
    assert done.changes[0].kind == "fewer_lots"
