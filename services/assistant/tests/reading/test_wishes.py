"""What became of every word of a text."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from readings import entries
from shapely import box

from assistant.assessment.facts import LandFacts
from assistant.errors import QuestionOffTopic
from assistant.models.base import Study
from assistant.project import ToldFact, WishedLot
from assistant.reading.languages import is_other_language
from assistant.reading.project import Reading, read
from assistant.reading.tokens import read_tokens
from assistant.reading.wishes import Wish, heard, wishes_of, yours
from assistant.study import study
from assistant.text import read_table
from landpartner.land.v1 import land_pb2
from servicekit.languages import Text, in_language

MakeUnit = Callable[..., land_pb2.LandUnit]
ALL = [entry for name in ("projects_fit", "projects_judge") for entry in entries(name)]
WORDS = sorted({word for entry in ALL for word in entry["text"].split()})
TEXTS = st.lists(st.sampled_from([*WORDS, "9" * 40, "1/0", "½", "\n", "point à la ligne", "euh non"]), max_size=40)


@pytest.fixture
def studied(land_unit: MakeUnit) -> Callable[..., Study]:
    return partial(study, LandFacts(land_unit(60, 70)))


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry["text"][:40])
def test_every_quantity_is_in_a_wish_or_quoted(studied: Callable[..., Study], entry: dict[str, Any]) -> None:
    done = studied(entry["text"])
    reading = read(entry["text"])
    spans = [*reading.covered, *reading.unread]
    for token in read_tokens(entry["text"]):
        if token.tag in ("NUM", "AREA", "LENGTH", "SHARE", "PERCENT"):
            assert any(start <= token.start and token.end <= end for start, end in spans), token
    quoted = [wish.words for wish in done.wishes if wish.status == "not_read"]
    replies = done.replies
    quoted_asks = [(reply.question.text, reply.heading.fr) for reply in replies.answered]
    quoted_asks += [(gap.question.text, gap.heading.fr) for gap in replies.unanswered]
    asked = " ".join(chain.from_iterable(quoted_asks))
    for span in reading.unread:
        words = [entry["text"][start:end] for start, end in reading.content if span[0] <= start and end <= span[1]]
        assert all(word.rstrip(".") in asked or any(word in quote for quote in quoted) for word in words)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(words=TEXTS)
def test_any_words_are_read_and_accounted_for(words: list[str]) -> None:
    text = " ".join(words)
    reading = read(text)
    spans = [*reading.covered, *reading.unread]
    for token in read_tokens(text):
        if token.tag in ("NUM", "AREA", "LENGTH", "SHARE", "PERCENT", "LEASE", "TOWN", "DEMOLISH"):
            assert any(start <= token.start and token.end <= end for start, end in spans), (text, token)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(text=st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    assert 0 <= read(text).ratio() <= 1


def test_what_was_understood_is_a_project_that_gives_the_same_study(studied: Callable[..., Study]) -> None:
    first = studied("3 lots dont un de 500 m², voie commune de 5 m, garder le verger")
    members = {name: value for name, value in vars(first.project).items() if value not in (None, ())}
    again = studied("Diviser un terrain", members)
    assert again.project == first.project
    assert again.division == first.division


def test_a_field_wins_over_the_text(studied: Callable[..., Study]) -> None:
    done = studied("Diviser en 3 lots sans voie commune", {"lot_count": 4})
    assert (done.project.lot_count, done.project.has_shared_way) == (4, False)
    assert [(wish.field, wish.words) for wish in done.wishes] == [
        ("/lot_count", ""),
        ("/has_shared_way", "sans voie commune"),
    ]


def test_what_cannot_be_drawn_has_its_reason(studied: Callable[..., Study]) -> None:
    done = studied("Diviser en 2 lots, garder le verger, hauteur 7 m")
    assert {wish.field: wish.status for wish in done.wishes} == {
        "/lot_count": "followed",
        "/height_m": "not_followed",
        "/keep_outs/0": "not_followed",
    }
    assert "Non suivi" in done.heard.wishes.fr


@pytest.mark.parametrize(("footprint_m2", "status"), [(60, "followed"), (5_000, "not_followed")])
def test_a_told_house_is_followed_if_every_lot_has_room_for_it(
    studied: Callable[..., Study], footprint_m2: int, status: str
) -> None:
    done = studied("Diviser", {"lot_count": 2, "footprint_m2": footprint_m2})
    assert {wish.field: wish.status for wish in done.wishes}["/footprint_m2"] == status


def test_buyers_who_build_are_not_one_builder() -> None:
    assert read("Buyers will build their own homes, 3 plots.").project.has_one_builder is None


def test_a_project_that_is_mostly_unread_says_so_first(studied: Callable[..., Study]) -> None:
    text = "2 lots, cousine Berthe tapisserie violette moulin cerisiers bicyclette grenier harmonium"
    assert studied(text).heard.warning.fr.startswith("Moins de la moitié de ce projet a été lue")


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry["text"][:40])
def test_every_word_with_a_meaning_is_read_or_quoted(entry: dict[str, Any]) -> None:
    reading = read(entry["text"])
    for start, end in reading.content:
        assert any(a <= start and end <= b for a, b in (*reading.covered, *reading.unread))


@pytest.mark.parametrize(
    "text",
    [
        "sell half of the garden, keep the house",
        "le plus de lots possible, 300 m² minimum chacun",
        "céder une bande de 4 m le long de la limite est à mon voisin",
    ],
)
def test_words_that_a_gap_passes_or_a_wish_tells_are_quoted(studied: Callable[..., Study], text: str) -> None:
    wishes = studied(text).wishes
    quoted = " ".join(wish.words for wish in wishes if not wish.field or wish.field.startswith("/facts"))
    assert any(words in quoted for words in ("half of the garden", "300 m² minimum", "limite est"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [(entry["example"], entry["kind"]) for entry in read_table("reading/clauses.toml")["kinds"]],
)
def test_a_clause_that_no_member_holds_has_the_kind_of_its_example(text: str, kind: str) -> None:
    reading = read(text)
    assert ([fact.kind for fact, _ in reading.facts], reading.unread) == ([kind], ())


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("le lot C reviendra à ma nièce", {"given"}),
        ("un lot pour moi et un à vendre", {"wish"}),
        ("ILS ESPERENT 310 LE M2 POUR LE PETIT ET 290 POUR LE GRAND", {"price"}),
        ("deux champs qui se touchent pas", set()),
        ("my brothers don't mind sharing", set()),
        ("Les livreurs peuvent passer par la cour, personne ne leur dit rien", {"note"}),
        ("le coin de prairie face à la rue", {"note"}),
        ("the two parcels across the lane", {"note"}),
        ("écrit depuis le parking de la clinique", {"note"}),
        ("Longère à Redon, 2 100 m2, achetée à trois", {"note"}),
        ("les vieilles vignes sont arrachées", {"note"}),
        ("On veut pas passer par la cour", {"refused"}),
    ],
)
def test_the_kind_of_a_clause_says_nothing_that_it_does_not_tell(text: str, kinds: set[str]) -> None:
    assert {fact.kind for fact, _ in read(text).facts} == kinds


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("c'est 43 ares le tout, en faire 3 lots", "terrain : « c'est 43 ares le tout »"),
        ("2 lots. Et il passera par la rue des Tanneurs.", "accès : « Et il passera par la rue des Tanneurs »"),
    ],
)
def test_a_fact_quotes_its_clause(studied: Callable[..., Study], text: str, meaning: str) -> None:
    assert meaning in [wish.meaning.fr.replace("\u202f", " ").replace("\xa0", " ") for wish in studied(text).wishes]


def test_a_clause_with_a_figure_that_no_rule_has_read_is_not_passed_off_as_read() -> None:
    reading = read("on parle bien de 700 mètres carrés derrière le hangar")
    assert reading.facts == ()
    assert reading.unread


def test_only_words_that_tell_a_project_are_said_to_be_unread() -> None:
    words = ("jaune", "ma femme et moi", "3 de plus", "on divorce", "vendre")
    quoted = heard([Wish("", word, Text("", ""), "not_read") for word in words], 1.0).wishes.fr
    assert quoted == "Non lu : « 3 de plus » et « vendre »."


@pytest.mark.parametrize(
    ("text", "dropped"),
    [
        ("On aimerait vendre le fond du terrain en gardant un passage de 4 mètres le long de la limite.", "4 mètres"),
        ("Nous voulons deux lots. Le juge parle d'un partage 60/40.", "60/40"),
        (
            "We own the house at the front and an English developer offers to buy the back third, about 270 m2. "
            "What permit is needed?",
            "270 m²",
        ),
    ],
)
def test_a_figure_that_nothing_follows_is_said(studied: Callable[..., Study], text: str, dropped: str) -> None:
    told_to = studied(text).heard
    assert dropped in told_to.wishes.fr.replace("\xa0", " ")
    assert told_to.warning.fr == ""


@pytest.mark.parametrize(
    ("words", "turned"),
    [
        ("mon fils", "votre fils"),
        ("nos deux filles", "vos deux filles"),
        ("my sister", "your sister"),
        ("Paul", "Paul"),
    ],
)
def test_what_is_theirs_is_yours_in_the_mouth_of_the_service(words: str, turned: str) -> None:
    assert yours(words) == turned


def test_a_project_of_which_nothing_is_read_says_so_first(studied: Callable[..., Study]) -> None:
    assert studied("la moitié par ici, la moitié par là").heard.warning.fr.startswith("Rien de ce projet n’a été lu")


def test_questions_and_greetings_do_not_count_as_unread(studied: Callable[..., Study]) -> None:
    text = "Bjr, 2 lots de 500 m². Quelles taxes communales faut-il prévoir pour cette opération ? Merci d'avance"
    assert not studied(text).heard.warning.fr


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Faut-il que mes trois cohéritiers signent tous ?", "family"),
        ("Mon frère ne répond plus, on peut vendre sans lui ?", "family"),
        ("Il y a une hypothèque, ça bloque ?", "financing"),
        ("Quelle est la hauteur max autorisée sur ce terrain ?", "height"),
    ],
)
def test_a_question_about_people_and_signing_is_on_topic(studied: Callable[..., Study], text: str, intent: str) -> None:
    replies = studied(text).replies
    answered = {reply.question.intent for reply in replies.answered}
    assert intent in answered | {reply.question.intent for reply in replies.unanswered}


@pytest.mark.parametrize("text", ["Comment inscrire mon fils à la cantine ?", "Quels papiers pour la cantine ?"])
def test_a_question_about_something_else_is_refused(studied: Callable[..., Study], text: str) -> None:
    with pytest.raises(QuestionOffTopic):
        studied(text)


@pytest.mark.parametrize("name", ["questions_fit", "questions_judge"])
def test_another_language_gets_the_study(studied: Callable[..., Study], name: str) -> None:
    for entry in entries(name):
        assert is_other_language(entry["text"]) == ("language" in entry), entry["text"]
        if "language" in entry:
            done = studied(entry["text"])
            assert done.replies.is_general
            with in_language("en"):
                assert str(done.heard.warning).startswith("The question is neither in French nor in English")


def test_equal_lots_are_followed_only_if_the_drawn_ones_are(land_unit: MakeUnit) -> None:
    house = box(8, 6, 20, 16)
    uneven = study(LandFacts(land_unit(60, 33, buildings=[house])), "garder la maison, partage en 3 lots égaux")
    wish = next(wish for wish in uneven.wishes if wish.field == "/has_even_lots")
    areas_m2 = sorted(lot.area_m2 for lot in uneven.division.proposals[0].lots)
    assert (wish.status, areas_m2[0] < 0.9 * areas_m2[-1]) == ("not_followed", True)
    assert "611 m² à 759 m², le découpage 2 le suit" in str(wish.reason.fr).replace("\u202f", " ").replace(
        "\u00a0", " "
    )
    even = study(LandFacts(land_unit(60, 70)), "partage en 3 lots égaux")
    assert {wish.field: wish.status for wish in even.wishes}["/has_even_lots"] == "followed"


@pytest.mark.parametrize("text", ["2 lots égaux", "garder la maison, partage en 2 lots égaux"])
def test_the_even_lots_come_before_the_usual_plot_of_the_house(land_unit: MakeUnit, text: str) -> None:
    done = study(LandFacts(land_unit(40, 60, buildings=[box(8, 6, 20, 16)])), text)
    assert {wish.field: wish.status for wish in done.wishes}["/has_even_lots"] == "followed"
    assert done.division.proposals[0].largest_lot_m2 == pytest.approx(1_200, rel=0.05)


@pytest.mark.parametrize("text", ["sell the back garden to build on", "Vendre 500 m² dans le jardin"])
def test_the_garden_is_the_back_of_the_land(land_unit: MakeUnit, text: str) -> None:
    done = study(LandFacts(land_unit(34, 60, buildings=[box(8, 6, 20, 16)])), text)
    assert {wish.field: wish.status for wish in done.wishes}["/lots/0/position"] == "followed"
    assert "Noté" not in done.heard.wishes.fr
    [sold] = [lot for lot in done.division.proposals[0].lots if not lot.is_built]
    assert done.site is not None
    assert sold.shape.centroid.y > done.site.unit.centroid.y + 8


def test_a_wish_that_another_proposal_follows_names_it(land_unit: MakeUnit) -> None:
    done = study(LandFacts(land_unit(40, 60, buildings=[box(8, 6, 20, 16)])), "2 lots égaux")
    even, *others = done.division.proposals
    uneven = next(p for p in others if any("uneven" in lot.violations for lot in p.lots))
    division = replace(done.division, proposals=(replace(uneven, rank=1), replace(even, rank=2)))
    [wish] = [w for w in wishes_of(done.project, Reading(), "", division) if w.field == "/has_even_lots"]
    assert wish.status == "not_followed"
    assert wish.reason.fr.endswith(", le découpage 2 le suit")


def test_what_the_town_said_is_not_taken_for_an_oral_opinion(studied: Callable[..., Study]) -> None:
    wishes = {wish.field: wish for wish in studied("2 lots. CUb positif pour 1 logement").wishes}
    assert "un certificat d’urbanisme ou une autorisation engage la commune" in wishes["/town_said"].reason.fr
    assert "oral" not in wishes["/town_said"].reason.fr


def test_a_fact_in_fields_is_told_by_its_figures(studied: Callable[..., Study]) -> None:
    done = studied("2 lots", {"facts": (ToldFact("price", price_eur_per_m2=0.9),)})
    [price] = [wish.meaning for wish in done.wishes if wish.field == "/facts/0"]
    assert (price.fr, price.en) == ("prix dit : 0,90\N{NO-BREAK SPACE}€/m²", "price told: 0.90\N{NO-BREAK SPACE}€/m²")


FACTS = [
    ("2 lots. Le cabanon est pour ma nièce", {"kind": "given", "words": "Le cabanon est pour ma nièce"}),
    ("12 000 euros frais compris", {"kind": "price", "price_eur": 12_000.0}),
    ("38 € du mètre carré", {"kind": "price", "price_eur_per_m2": 38.0}),
    ("asking price 45k", {"kind": "price", "price_eur": 45_000.0}),
    ("95 000 € devant et 80 000 € derrière", {"kind": "price", "price_eur": None}),
    ("Ils refusent toute servitude de passage", {"kind": "access", "words": "Ils refusent toute servitude de passage"}),
    ("on ne vend que la partie jardin", {"kind": "wish", "words": "on ne vend que la partie jardin"}),
    ("je construis pas", {"kind": "building", "words": "je construis pas"}),
    ("Si le maire veut bien, on vend la grange", {"kind": "sold", "words": "Si le maire veut bien, on vend la grange"}),
    ("Soit on vend tout, soit rien", {"kind": "wish", "words": "Soit on vend tout, soit rien"}),
    ("il y a un bail jusqu'en 2031", {"kind": "lease"}),
    ("the cattle come in by the back lane", {"kind": "access"}),
    ("2 lots. Le tilleul, on a promis de pas l'abattre", {"kind": "refused"}),
    ("5 lots. Les gradins ne sont pas vendus et restent au club", {"kind": "wish"}),
    ("4 lots. Les jeunes n'ont jamais été propriétaires", {"kind": "wish"}),
    ("2 lots. La grange, on la vend ou on la garde", {"kind": "wish"}),
    ("two plots, keep a bridle path, 3 m, along the wood", {"kind": "access"}),
]


@pytest.mark.parametrize(("text", "told"), FACTS)
def test_a_clause_is_quoted_with_what_it_denies(text: str, told: dict[str, object]) -> None:
    [fact] = [fact for fact, _ in read(text).facts]
    assert {name: getattr(fact, name) for name in told} == told


def test_the_first_of_two_choices_is_followed() -> None:
    project = read("Soit A : 3 lots et on vend tout. Soit B : un seul lot de 1 200 m² devant").project
    assert (project.lot_count, [lot for lot in project.lots if lot.is_sized]) == (3, [])


@pytest.mark.parametrize(
    ("text", "lots"),
    [
        ("je voudrais acheter à la voisine une bande de 3 m sur 27", [WishedLot(area_m2=81.0)]),
        ("lot A 310 m², lot B le solde (parcelle = 702)", [WishedLot(area_m2=310.0), WishedLot(is_rest=True)]),
        ("jdone 15 are a mon fils", [WishedLot(area_m2=1500.0, holder="mon fils")]),
        ("on lui vend ensemble ces 800 pour une maison", []),
        (
            "Le surplus irait pour moitié à mon fils et pour moitié à la vente",
            [WishedLot(is_rest=True, holder="mon fils"), WishedLot(is_rest=True, use="sale")],
        ),
    ],
)
def test_a_lot_is_read_with_who_gets_it(text: str, lots: list[WishedLot]) -> None:
    assert [*read(text).project.lots] == lots
    assert read(text).project.footprint_m2 is None


def test_a_question_is_no_fact() -> None:
    assert read("Notre portail reste fermé, les camions passent par la rue ?").facts == ()


@pytest.mark.parametrize(
    "text",
    [
        "il irait vivre à Quimper",
        "il en demande beaucoup",
        "quelle est la largeur de la voie ?",
        "c'est pour le prochain conseil le 21",
        "la harpe du grenier brille toujours un peu vers la chandelle",
    ],
)
def test_what_is_not_understood_is_no_fact(text: str) -> None:
    assert read(text).facts == ()


@pytest.mark.parametrize(
    "text",
    [
        "elle refuse de quitter la ferme tant qu'elle peut monter l'escalier",
        "Sa femme veut pas que je traverse la cour avec le fourgon",
        "Both plots should be near the west end, so we never see them",
    ],
)
def test_a_wish_that_no_rule_reads_is_noted_as_one(text: str) -> None:
    assert [fact.kind for fact, _ in read(text).facts] == ["wish"]


def test_the_words_of_a_person_that_gets_no_lot_are_not_read_in_silence() -> None:
    reading = read("ma tante prend sa retraite")
    assert {*reading.content} == {(3, 8), (9, 14), (18, 26)}
    assert {word for word in reading.content if any(a <= word[0] and word[1] <= b for a, b in reading.counted)} == set()


def test_a_wish_is_told_once_by_what_became_of_it(studied: Callable[..., Study]) -> None:
    done = studied("lot A de 600 m² pour Zoé au fond, lot B de 500 m² pour Luc, la maison garde 900 m²")
    told = done.heard.wishes.fr
    assert told.count("Zoé") == told.count("Luc") == told.count("terrain de la maison") == 1
    assert "la maison est gardée (les données ne situent pas de maison)" in told
    assert "un lot pour Zoé de 600\xa0m²" in told
    assert "un lot pour Luc de 500\xa0m²" in told


@pytest.mark.parametrize(
    "text",
    [
        "Partager entre nos trois enfants à parts égales",
        "Vendre le fond du jardin pour y construire",
        "Céder une bande de 3 m au voisin",
        "Faire 3 terrains à bâtir",
    ],
)
def test_what_is_followed_is_neither_noted_nor_unread_nor_unanswered(studied: Callable[..., Study], text: str) -> None:
    done = studied(text)
    assert "Noté" not in done.heard.wishes.fr
    assert "Non lu" not in done.heard.wishes.fr
    assert (done.replies.unanswered, done.replies.is_general) == ((), True)


def test_one_lot_is_told_with_what_is_left(studied: Callable[..., Study]) -> None:
    heard_ = studied("Détacher 1 lot").heard.wishes
    assert (heard_.fr, heard_.en) == (
        "Compris : un lot, et ce qui reste.",
        "Understood: one lot, and what is left.",
    )


def test_the_words_of_several_questions_in_one_sentence_are_not_quoted(studied: Callable[..., Study]) -> None:
    done = studied("What is the procedure, how long does it take, and which documents do I file?")
    assert [wish.words for wish in done.wishes] == []
