"""The project that a text tells."""

import time
from dataclasses import asdict, replace
from typing import Any

import pytest
from readings import entries
from sized_projects import sized

from assistant.project import Project, WishedLot
from assistant.reading.project import read, read_project
from assistant.reading.tokens import read_tokens
from assistant.text import read_table

EXAMPLES = [
    *(
        (entry["example"], entry["gives"])
        for rule in read_table("reading/project.toml")["rules"]
        for entry in rule["patterns"]
    ),
    *((entry["text"], entry["project"]) for name in ("examples", "misreadings") for entry in entries(name)),
]
"""`misreadings` has classes of what is easily misread, such as a number that somebody denies."""


def told(value: Any) -> Any:
    """The value without what is not told, with rounded figures."""
    if isinstance(value, dict):
        return {
            key: told(member)
            for key, member in value.items()
            if member not in (None, (), []) and (key, member) != ("count", 1)
        }
    if isinstance(value, list | tuple):
        return [told(element) for element in value]
    return round(value, 3) if isinstance(value, float) else value


@pytest.mark.parametrize(("text", "project"), EXAMPLES)
def test_each_pattern_reads_its_example(text: str, project: dict[str, Any]) -> None:
    assert told(asdict(read_project(text))) == told(project)


@pytest.mark.parametrize(
    ("question", "project"),
    [
        ("Diviser un terrain", sized()),
        ("", sized()),
        ("diviser en 3 lots", sized(3)),
        ("Je veux QUATRE   lots à bâtir", sized(4)),
        ("peut-on couper ce terrain en deux ?", sized(2)),
        ("Split it in five", sized(5)),
        ("divide into 6 plots", sized(6)),
        ("détacher 1 lot", sized(1)),
        ("diviser en 12 parcelles", sized(12)),
        ("Diviser en douze lots", sized(12)),
        ("diviser en 999 lots", sized(999)),
        ("Diviser en 30 m de large", sized(lot_width_m=30)),
        ("Diviser un terrain de 1200 m² en 3 parts", sized(3)),
        ("Diviser ce terrain : lotissement de 2019, 45 avenue Foch", sized()),
        ("Mon terrain fait 2500 m². Puis-je le diviser ?", sized()),
        ("Combien vaut ce terrain de 800 m² ?", sized()),
        ("un lot d’environ 500 m²", sized(None, (500,))),
        ("un terrain de 600 m² à détacher", sized(None, (600,))),
        ("détacher 600 m2", sized(None, (600,))),
        ("vendre 5 ares", sized(None, (500,))),
        ("un lot de 0,1 ha", sized(None, (1000,))),
        ("Deux lots de 400 m2 et le reste", sized(None, (400, 400))),
        ("Diviser en 3 lots, dont un de 500 m²", sized(3, (500,))),
        ("3 lots de 400 m²", sized(3, (400, 400, 400))),
        ("Diviser mon terrain de 1 500 m² en deux lots de 750 m²", sized(2, (750, 750))),
        ("Two plots of 400 sqm and the rest", sized(None, (400, 400))),
        ("I want to sell a plot of about 1,200 m2", sized(None, (1200,))),
        ("a 500 m² plot", sized(None, (500,))),
        ("garder la maison avec 600 m² et vendre deux lots", sized(3, (), 600, True)),
        ("La maison garde environ 700 m², le reste en 3 lots", sized(4, (), 700, True)),
        ("keep the house with 600 m2 and split the rest into two lots", sized(3, (), 600, True)),
        ("We keep the cottage and 900 sqm, I'll build a 9m x 11m bungalow on the rest", sized(None, (), 900, True)),
        ("Je veux garder la maison et vendre un lot de 450 m²", sized(None, (450,), None, True)),
        ("Diviser en 4 lots de 500 m² et garder 600 m² pour la maison", sized(5, (500,) * 4, 600, True)),
        ("maison de 120 m² à garder, diviser en deux", sized(2, (), None, True)),
        ("Garder la maison et vendre un bout du jardin, environ 300 m²", sized(None, (300,), None, True)),
        ("Sell part of the garden, about 300 m2", sized(None, (300,))),
        ("Vendre une partie de mon terrain de 1200 m²", sized()),
        ("Je voudrais un terrain de 600 m² constructible et garder le reste", sized(None, (600,))),
        ("J’ai une parcelle de 900 m² à diviser en 2", sized(2)),
        ("I have a 900 m² plot, split it in two", sized(2)),
        ("Je possède 2 parcelles de 700 m² chacune, en faire 4 lots", sized(4)),
        ("J’ai une parcelle de 600 m² à détacher", sized(None, (600,))),
        ("Je veux détacher un bout du terrain (environ 250 m²) pour ma fille", sized(None, (250,))),
        ("3 lots : la maison gardée et 2 terrains à bâtir de 450 m²", sized(3, (450, 450), None, True)),
        ("On garde la maison et on fait 3 lots", sized(4, (), None, True)),
    ],
)
def test_lots_are_read(question: str, project: Project) -> None:
    assert summary(read_project(question)) == summary(project)


def summary(project: Project) -> tuple[object, ...]:
    return project.lot_count, project.sizes_m2, project.house_m2, bool(project.keeps_house), project.lot_width_m


TOLD = [
    ("6 lots desservis par une voie commune", Project(6, has_shared_way=True)),
    ("Can we get 6 houses with a shared driveway?", Project(6, has_shared_way=True)),
    ("6 lots autour d’une voie", Project(6, has_shared_way=True)),
    ("Deux terrains à bâtir, chacun avec son accès", Project(2, has_shared_way=False)),
    ("6 lots, chacun avec un accès à la voie commune", Project(6, has_shared_way=True)),
    ("4 lots, chacun ayant son accès sur une allée commune", Project(4, has_shared_way=True)),
    ("4 lots sans voie commune", Project(4, has_shared_way=False)),
    ("Trois lots et une voie privée de 6 m", Project(3, has_shared_way=True, shared_way_m=6)),
    ("Je cède 30 m² à mon voisin pour élargir son jardin", sized(None, (30,), is_for_neighbour=True)),
    ("Our neighbour wants to buy a strip to extend his garden", Project(is_for_neighbour=True)),
    ("Je vends un lot de 400 m² à mon voisin qui veut construire", sized(None, (400,))),
    ("12 equal plots", Project(12, has_even_lots=True)),
    ("Diviser en deux parts égales", Project(2, has_even_lots=True)),
    ("3 lots, 5 m de recul et 30 % d’emprise", Project(3, setback_m=5, footprint_ratio=0.3)),
    ("2 lots with 4 metre setbacks and a height of 7.5 m", Project(2, setback_m=4, height_m=7.5)),
    ("un promoteur construit 5 maisons et les revend", Project(5, has_one_builder=True)),
    ("Je compte construire 4 maisons moi-même puis les vendre", Project(4, has_one_builder=True)),
    ("Combien de lots ? Je pensais à 6", Project(6)),
    ("Je pense à 3 % de pente sur mes lots", Project()),
    ("I will build and sell three houses", Project(3, has_one_builder=True)),
    ("démolir la maison et faire 3 lots", Project(3, demolishes_house=True)),
    ("2 lots sans démolir la maison", Project(2)),
    ("deux parcelles qui ne se touchent pas", Project(has_separate_plots=True)),
    ("un immeuble de 8 logements", Project(dwelling_count=8)),
    ("3 lots de 20 m de large", Project(3, lot_width_m=20)),
    ("J’ai deux maisons sur mon terrain, puis-je le diviser ?", Project()),
]


@pytest.mark.parametrize(("question", "project"), TOLD)
def test_the_rest_of_the_project_is_read(question: str, project: Project) -> None:
    found = read_project(question)
    assert summary(found) == summary(project)
    assert {**asdict(found), "lots": ()} == {**asdict(project), "lots": ()}


@pytest.mark.parametrize("question", ["lot " * 500, "1 lot de 1 m2 " * 142, "un lot de " + "9 " * 990, "garder " * 285])
def test_a_long_question_is_parsed_in_bounded_time(question: str) -> None:
    assert len(read_project(question).sizes_m2) <= 12


@pytest.mark.parametrize("question", ["voie " * 400, "je cède " * 250, "2 " * 1000, "recul " * 330, "a" * 2000])
def test_words_of_the_project_are_read_in_bounded_time(question: str) -> None:
    started = time.process_time()
    read(question)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("text", "lot_count"),
    [
        ("vendre 3 terrains, pas plus de 500 m² chacun, et garder le reste", 4),
        ("faire 3 lots : un de 500 m², un de 600 m² et le reste", 3),
    ],
)
def test_a_kept_rest_is_beside_the_lots_to_sell(text: str, lot_count: int) -> None:
    assert read_project(text).on(5000.0).lot_count == lot_count


@pytest.mark.parametrize(
    ("text", "setback_m"), [("recul de 15 m sur la RD", None), ("3 m de recul sur les limites", 3.0)]
)
def test_a_distance_to_a_thing_is_no_setback_from_the_limits(text: str, setback_m: float | None) -> None:
    assert read_project(text).setback_m == setback_m


@pytest.mark.parametrize("text", ["3 plots of 650-750 m²", "3 lots de 650 - 750 m²", "3 lots de 650–750 m²"])
def test_a_range_with_a_hyphen_is_one_area(text: str) -> None:
    (lot,) = read_project(text).lots
    assert (lot.count, lot.least_m2, lot.most_m2) == (3, 650.0, 750.0)


@pytest.mark.parametrize(
    "text", ["a plot of no less than 1,500 m²", "a plot of 1,500 m² or more", "un lot de 1500 m² mini"]
)
def test_a_lower_bound_is_the_least(text: str) -> None:
    assert read_project(text).lots[0].least_m2 == 1500.0


@pytest.mark.parametrize(
    ("text", "area_m2"),
    [
        ("8 a 50 ca", 850.0),
        ("1 ha 8 a 50 ca", 10_850.0),
        ("3 hectares 25 ares 12 centiares", 32_512.0),
        ("20 m par 30", 600.0),
        ("3 m de large sur 25 m de long", 75.0),
        ("18,5 a", 1850.0),
    ],
)
def test_units_behind_each_other_are_one_area(text: str, area_m2: float) -> None:
    assert [(token.tag, token.value) for token in read_tokens(text)] == [("AREA", area_m2)]


@pytest.mark.parametrize("text", ["le prix : la moitié pour moi, la moitié pour mon frère", "la grange est à raser"])
def test_a_share_of_money_and_a_barn_are_no_lots_and_no_house(text: str) -> None:
    assert read_project(text) == Project()


@pytest.mark.parametrize(
    ("text", "lots"),
    [
        ("un lot de 600 m2, hauteur 6m50", ((600.0, 1),)),
        ("je donne 200 metres a mon voisin", ((200.0, 1),)),
        ("la mairie est à 300 m de la maison", ()),
        ("faire deux terrains, un de 450 et un de 500 m2", ((450.0, 1), (500.0, 1))),
        ("mes deux fils auront chacun 600 mètres", ((600.0, 2),)),
        ("ils prendront chacun 600 mètres", ()),
    ],
)
def test_areas_are_told_from_lengths(text: str, lots: tuple[tuple[float, int], ...]) -> None:
    assert tuple((lot.area_m2, lot.count) for lot in read_project(text).lots) == lots


def test_a_described_lot_is_one_of_its_group() -> None:
    house = WishedLot(use="house", position="north")
    told = Project(lot_count=4, lots=(WishedLot(count=4, least_m2=500, most_m2=650), house), keeps_house=True)
    group, kept = told.consistent().lots
    assert (group.count, kept.least_m2, kept.most_m2, kept.use, kept.position) == (3, 500, 650, "house", "north")


@pytest.mark.parametrize(
    ("project", "is_kept"),
    [
        (Project(is_for_neighbour=True, lots=(WishedLot(use="neighbour"), WishedLot(is_rest=True, use="house"))), True),
        (Project(is_for_neighbour=True, lots=(WishedLot(use="neighbour"), WishedLot(use="building"))), False),
    ],
)
def test_a_sale_to_a_neighbour_has_no_lot_to_build_on(project: Project, *, is_kept: bool) -> None:
    assert bool(project.consistent().is_for_neighbour) == is_kept


@pytest.mark.parametrize(
    ("text", "lots"),
    [
        ("On voudrait faire trois terrains : un de 650 et deux plus petits de 480", [(1, 650, None), (2, 480, None)]),
        ("lot 1, 720 m² côté rue ; lot 2, 540 m² au fond", [(1, 720, "front"), (1, 540, "back")]),
        ("I'd like two of 600 and the rest stays with the house", [(2, 600, None), (1, None, None)]),
        ("le premier lot ferait 550 m², le deuxième 600 m²", [(1, 550, None), (1, 600, None)]),
        ("vendre deux fois 500 m² côté route", [(2, 500, "front")]),
        ("Division en 3, lot A 600, lot B 550, lot C solde", [(1, 600, None), (1, 550, None), (1, None, None)]),
        ("my brother gets the north side, my sister gets the back", [(1, None, "north"), (1, None, "back")]),
        ("Ma sœur a donné 500 à l'agent pour le bornage", []),
        ("ils ont payé 5000 euros chacun et on a déjà vendu 600 m²", []),
        ("terrain 142 avenue Foch", []),
    ],
)
def test_lots_told_one_by_one_are_read(text: str, lots: list[tuple[int, int | None, str | None]]) -> None:
    assert [(lot.count, lot.area_m2, lot.position) for lot in read_project(text).lots] == lots


@pytest.mark.parametrize(
    ("text", "holders"),
    [
        ("trois parcelles, celle de gauche pour mon fils, celle de droite pour ma fille", ["mon fils", "ma fille"]),
        ("Mon cousin Paul prendrait la moitié du terrain, ma tante l'autre moitié", ["Mon cousin Paul", "ma tante"]),
        ("My sister would take a third, the rest I sell", ["My sister", None]),
        ("half an acre at the back for my son", ["my son"]),
        ("papa veut donner 800 m² à chacun de ses 2 fils", [None]),
        ("ma tante veut vendre 600 m² à gauche", [None]),
    ],
)
def test_the_holder_of_each_lot_is_read(text: str, holders: list[str | None]) -> None:
    assert [lot.holder for lot in read_project(text).lots] == holders


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ("Nous sommes quatre frères à parts égales, on veut vendre 800 m² au fond", [0.25] * 4),
        ("On a hérité à trois, un tiers chacun, et on voudrait faire 2 lots", [0.333] * 3),
        ("We own it half each and want to sell a 900 sqm plot", [0.5] * 2),
        ("je suis propriétaire à 50/50 avec ma soeur", [0.5] * 2),
        ("Ma mère a l'usufruit et nous deux la nue-propriété moitié moitié", [0.5] * 2),
        ("un tiers à chacun des enfants, je veux vendre mon tiers", []),
    ],
)
def test_shares_of_rights_are_read(text: str, shares: list[float]) -> None:
    assert [round(owner.share_ratio or 0, 3) for owner in read_project(text).owners] == shares


@pytest.mark.parametrize(
    ("text", "lot_count"),
    [
        ("les deux terrains seraient vendus à des jeunes, on garde la maison", None),
        ("Le client garde sa maison et cède deux lots de 600", 3),
        ("Au début on voulait 3 terrains", None),
        ("détacher 2 lots et garder le reste", 3),
        ("Diviser en 3 lots d'au moins 500 m² en gardant la maison", 3),
        ("Vendre 3 lots de 500 m² en gardant la maison", 4),
        ("Split into three plots of at least 400 m² and keep the house", 3),
    ],
)
def test_the_count_of_what_is_sold_is_told_from_the_total(text: str, lot_count: int | None) -> None:
    assert read_project(text).lot_count == lot_count


def test_equal_lots_that_are_told_one_by_one_are_those_that_are_described() -> None:
    reading = read("3 parts 500/500/500, maman au milieu avec la maison, mon frère côté nord, moi côté route")
    assert reading.project.lot_count == 3
    assert [(lot.count, lot.area_m2, lot.position, lot.holder) for lot in reading.project.lots] == [
        (1, 500.0, None, None),
        (1, 500.0, "north", "mon frère"),
        (1, 500.0, "front", None),
    ]


@pytest.mark.parametrize(
    ("text", "storey_count"),
    [
        ("six logements en R plus 2, moi je suis contre, un étage ça suffit", None),
        ("a house, ground plus one at most", 2),
        ("les gens ne construisent pas d'étage", 1),
    ],
)
def test_storeys_that_differ_are_not_read(text: str, storey_count: int | None) -> None:
    assert read(text).project.storey_count == storey_count


@pytest.mark.parametrize(
    ("text", "lots"),
    [
        ("un terrain pas plus petit que 800 pour mon fils au fond", [(None, 800.0, None)]),
        ("a plot for Chloe, 500 sqm tops", [(None, None, 500.0)]),
        ("two plots next to the road, both the same size, not bigger than 900 each", [(None, None, 900.0)]),
        ("one of 700 to 800 for his daughter", [(None, 700.0, 800.0)]),
        ("2 lots, CU de 2018 à 2020", []),
        ("2 lots à bâtir 500 m² chacun mini", [(None, 500.0, None)]),
        ("un lot à bâtir d'au moins 500 m², pas plus de 600", [(None, 500.0, 600.0)]),
        ("un lot au fond, je ne veux pas lui laisser plus de 700", [(None, None, 700.0)]),
    ],
)
def test_bounds_of_bare_numbers_are_read(text: str, lots: list[tuple[float | None, ...]]) -> None:
    assert [(lot.area_m2, lot.least_m2, lot.most_m2) for lot in read(text).project.lots] == lots


@pytest.mark.parametrize(
    ("text", "lot_count"),
    [
        ("3 lots TAB 450-500 m² + 1 lot bâti", 4),
        ("le promoteur voulait 6 lots, nous on en veut 3 pas plus", 3),
        ("on est 3 enfants, couper le terrain en 3 mais la maison reste à maman", 3),
        ("A 88 = 2 750 m², lot A : maison + 1 000 m²", None),
        ("The house is already two homes", None),
        ("split the field in two and keep the farmhouse", 3),
        ("I'm selling: lot 1 the barn, lot 2 600 sqm building plot, I keep lot 3", 3),
        ("on fait trois lots, enfin quatre", 4),
        ("je voudrais le couper en deux non attendez en trois, un lot de 700 m²", 3),
        ("c'est plus trois terrains, c'est deux terrains", 2),
    ],
)
def test_what_is_counted_is_what_the_text_wishes(text: str, lot_count: int | None) -> None:
    assert read_project(text).lot_count == lot_count


def test_a_corrected_figure_keeps_its_unit() -> None:
    assert read_project("2 lots, un chemin de quatre mètres euh non cinq").shared_way_m == 5.0


def test_a_new_house_is_none_that_stays() -> None:
    project = read_project("One plot at the front of max 450 sqm for a bungalow")
    assert (project.keeps_house, project.lots[0].use) == (None, None)


def test_a_distance_is_to_the_thing_behind_it() -> None:
    (well,) = read_project("le hangar fait 200 m², il faut rester à 10 m du puits").keep_outs
    assert (well.thing, well.distance_m) == ("puits", 10.0)


@pytest.mark.parametrize(
    ("text", "lots"),
    [
        ("L1 812 m² au nord, L2 640, L3 le reste", [(812, "north"), (640, None), (None, None)]),
        ("lot L2 : 1 150 m²", [(1150, None)]),
        ("trois lots : 710, 640 et 905", [(710, None), (640, None), (905, None)]),
        ("deux lots, la forge avec 900 m² je la garde", [(900, None)]),
        ("parcelles : 412, 413 et 415", []),
        ("on réunit le 5 (610 m²) et le 8 (590 m²)", []),
        ("à garder : le chai de 180 m²", []),
        ("lotir 2,2 ha : 24 lots", []),
        ("Ne pas vendre plus de 900 m² en tout", []),
        ("deux lots : le 1er 480 m², le 2e 620 m²", [(480, None), (620, None)]),
        ("tante Rose a l'usufruit, nous trois le reste", []),
        ("La commune nous échange 90 m² d'angle, ensuite 2 lots de 650 m²", [(650, None)]),
        ("lot A de 600 m² pour Zoé au fond, lot B de 500 m²", [(600, "back"), (500, None)]),
        ("le notaire nous cède 240 m² de talus, on fait 2 lots", []),
        ("the heirs next door are selling us 300 sqm", []),
        ("5 lots, the biggest for my aunt (1,300 sqm)", [(1300, None)]),
        ("Two parcels, only the upper one (4,100 m²) can be built on", []),
        ("deux lots à vendre au fond, 500 m² l'un, 600 m² l'autre", [(500, "back"), (600, "back")]),
        ("3 lots N→S : 520 / 480 / solde", [(520, None), (480, None), (None, None)]),
        ("un lot de 600 m², le surplus reste en commun, chemin commun au surplus", [(600, None), (None, None)]),
        ("un lot de 700 m², au fond, à gauche, pour construire", [(700, "back")]),
        ("On garde 600 m² avec la maison ; Les Gets, 1,020 m2", [(600, None)]),
        ("eight units, maybe seven if it gets tight, none below 450", []),
        ("Kiln shed and 300 sqm round it stays mine, sell everything behind", [(300, None), (None, None)]),
    ],
)
def test_an_area_is_that_of_a_lot_only_where_the_text_says_so(
    text: str, lots: list[tuple[int | None, str | None]]
) -> None:
    assert [(lot.area_m2, lot.position) for lot in read_project(text).lots] == lots


@pytest.mark.parametrize(
    ("text", "lot_count"),
    [
        ("we may get 4 to 6 plots out of it", None),
        ("je ferais 2 ou 3 lots", None),
        ("les cousins disent deux lots, finalement on fait quatre lots", None),
        ("Le géomètre nous a dit 6 lots", None),
        ("on veut 3 lots mais la mairie en veut 5", 3),
        ("a 60 x 35 plot to split", None),
        ("les 3 premiers lots côté rue 450 m², les 2 derniers au fond 700 m²", 5),
        ("vendre trois lots de 500 m² et réserver un quatrième pour l'école", None),
        ("j'en voudrais 52000 si possible", None),
        ("Deux parcelles qui se touchent, ZB 14 et ZB 15", None),
        ("diviser en 4 parcelles", 4),
        ("quatre lots de 700 m² et un cinquième plus petit", 5),
        ("mes deux soeurs et moi voudrions chacun un lot", 3),
        ("split it equally between my three cousins and me", 4),
        ("The plan: 3 plots: 600, 650 and the rest", 3),
        ("je ne le coupe pas en trois comme dit mon oncle, en deux", 2),
        ("four plots at 550, two at 700, so 6 plots. My last job had 9 plots", 6),
        ("On garde la maison avec 700 m². Le pré sera coupé en deux", 3),
        ("We keep the mill. The meadow above: 3 plots", 4),
        ("la 12 est vendue, la 13 partagée en quatre", 4),
        ("Lots 2 et 3 à vendre, lot 1 pour Anne", 3),
        ("le notaire a dit de couper la poire en deux", None),
    ],
)
def test_a_number_of_lots_is_read_only_if_it_is_the_only_one(text: str, lot_count: int | None) -> None:
    assert read_project(text).lot_count == lot_count


@pytest.mark.parametrize(
    "text",
    [
        "plus tard on ferait un bungalow au fond pour y habiter",
        "keep some ground to build a cottage on it later",
        "garder un coin pour y poser une maison en bois",
        "l'accès se fait par la rue du Moulin, à maintenir",
        "on entre par l'avenue Jean Moulin, haie à conserver côté sud",
        "sortir la ferme avec 1200 m² autour",
        "garder une place pour un mobil home",
        "our buyers want the house and a third of the meadow",
        "On a 3 ha avec la ferme du grand-père dessus",
    ],
)
def test_a_house_to_come_or_to_sell_and_a_street_are_no_kept_house(text: str) -> None:
    assert read_project(text).keeps_house is None


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("une maison ossature bois, rester dans l'alignement", []),
        ("garder 8 m le long de l'allée des Tilleuls", []),
        ("keep off Orchard Road", []),
        ("2 lots à Saint-Martin-du-Bois, garder les noyers", ["noyers"]),
        ("la haie reste à lui", []),
        ("lot côté verger, mes parents gardent leur maison", []),
        ("garder un espace vert au bord du canal", []),
        ("détacher la grange et 400 m², laisser 3 m le long du mur", []),
    ],
)
def test_names_materials_and_places_are_not_kept_out(text: str, things: list[str]) -> None:
    assert [keep_out.thing for keep_out in read_project(text).keep_outs] == things


def test_a_storey_that_is_forbidden_is_none_of_the_project() -> None:
    assert read_project("2 lots, R+1 interdit").storey_count is None


def test_a_density_is_no_number_of_dwellings() -> None:
    assert read_project("le plan veut 20 logements à l'hectare").dwelling_count is None


def test_a_width_behind_a_number_of_lots_is_its_own_figure() -> None:
    assert read_project("Un seul chemin pour les trois, 4 mètres").shared_way_m == 4.0


@pytest.mark.parametrize(
    ("text", "width_m"),
    [
        ("2 lots, un passage de 4 m", 4.0),
        ("2 lots, ils passent par notre allée, qui mesure 3,50 m de large", None),
        ("2 lots, par la ruelle, elle fait à peine 3 mètres", None),
        ("she keeps her right to walk the cows on a track of 2.5 metres", None),
        ("2 lots et une allée de 2 m pour les brouettes", None),
    ],
)
def test_a_path_or_a_way_of_today_is_no_wished_way(text: str, width_m: float | None) -> None:
    assert read_project(text).shared_way_m == width_m


@pytest.mark.parametrize(
    ("text", "footprint_m2"),
    [
        *((f"2 lots, une maison de {sides}", 120.0) for sides in ("10 × 12 m", "10x12", "10 sur 12", "12 m par 10")),
        ("we put up a 12 by 10 metre house", 120.0),
        ("un R+1 de 9 x 8 m", 72.0),
        ("notre maison de 10 x 12 reste à nous", None),
        ("un hangar de 15x20", None),
        ("une bande de 3 m sur 28", None),
        ("on garde le bâtiment d'accueil (240 m² au sol)", None),
    ],
)
def test_the_sides_of_a_house_to_build_are_its_footprint(text: str, footprint_m2: float | None) -> None:
    assert read_project(text).footprint_m2 == footprint_m2


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("Mon voisin me cède une bande de 3 m sur 40 pour passer la tondeuse", [None]),
        ("je cède une bande de 3 m sur 40 à mon voisin", ["neighbour"]),
        ("ma nièce prend 600 m² pour faire construire un truc en bois", ["building"]),
    ],
)
def test_what_a_lot_is_for_is_what_its_taker_does(text: str, uses: list[str | None]) -> None:
    assert [lot.use for lot in read_project(text).lots] == uses


def test_land_on_the_other_side_of_a_lane_is_not_divided_with_the_rest() -> None:
    text = "Deux lots sur le clos. Le pré de l'autre côté du chemin, on n'y touche pas"
    assert read_project(text).has_separate_plots is None


@pytest.mark.parametrize(
    ("text", "is_sure"),
    [
        ("Un lot de 800 m² à vendre, le hangar reste à nous", True),
        ("Lot A : maison, 900 m². Lot B : 700 m². Lot C : le reste, gardé en jardin", True),
        ("Indivision : Anne 1/2, Paul 1/2. Deux lots de 600 m² et le reste", True),
        ("Un lot de 800 m², on donne un bout à Luc", False),
        ("Un lot de 800 m², ma sœur 600", False),
        ("Soit deux lots, soit trois", False),
    ],
)
def test_the_number_of_lots_is_sure_if_nothing_else_may_be_one(text: str, *, is_sure: bool) -> None:
    assert read(text).is_count_sure == is_sure


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Le pommier reste debout, rien à moins de 6 m du tronc", "distance"),
        ("la limite doit passer à 1 m de la haie", "distance"),
        ("The shed comes with it, the pear tree does not", "given"),
        ("une parcelle pour ma nièce et une à vendre", "wish"),
        ("Le voisin propose de m'acheter 200 m² de jardin", "sold"),
        ("Le cerisier près du portail, on n'y touche pas", "refused"),
        ("5 lots pour des jeunes qui achètent leur première maison", "people"),
    ],
)
def test_a_quoted_clause_has_a_kind_that_is_true_of_all_of_it(text: str, kind: str) -> None:
    assert {fact.kind for fact, _ in read(text).facts} <= {kind, "kept", "refused"}
    assert kind == "people" or kind in {fact.kind for fact, _ in read(text).facts}


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("une parcelle pour ma nièce, une à vendre", ["given", "sold"]),
        ("deux lots, la véranda reste à nous, 45 €/m²", ["kept", "price"]),
        ("on y touche pas, et on garde la véranda", ["refused", "kept"]),
        ("I sell them bare, I don't build", ["sold", "refused"]),
    ],
)
def test_clauses_of_two_kinds_are_quoted_apart(text: str, kinds: list[str]) -> None:
    assert [fact.kind for fact, _ in read(text).facts] == kinds


def test_a_setback_that_is_followed_is_no_note() -> None:
    assert read("Diviser en 2 lots, avec un recul de 4 m des limites et une emprise de 30 %").facts == ()


def test_the_names_of_owners_are_whole() -> None:
    owners = read_project("Indivision : Mme Vve Lagarde 1/2, Jean-Yves 1/4, Odile 1/4").owners
    assert [owner.name for owner in owners] == ["Vve Lagarde", "Jean-Yves", "Odile"]


@pytest.mark.parametrize(
    ("text", "project"),
    [
        # the land of today, or what stays of it, is no wished lot
        (
            "Grandad left us 2 acres near Dax. My brother takes the barn plus 1,500 m2 round it",
            Project(lots=(WishedLot(area_m2=1500.0, holder="My brother"),)),
        ),
        (
            "détacher 1 ha 20 pour le gamin qui s'installe, les 5 ha qui restent je les garde",
            Project(lots=(WishedLot(area_m2=12_000.0, holder="le gamin"), WishedLot(is_rest=True))),
        ),
        # the town that asks for its own land is nobody who said something
        (
            "Secrétariat de mairie. Le conseil souhaite 5 lots de 600 m² sur l'ancien camping",
            Project(lot_count=5, lots=(WishedLot(count=5, area_m2=600.0),)),
        ),
        (
            "Unité foncière de la commune, le conseil souhaite lotir : 5 lots de 600 m²",
            Project(lot_count=5, lots=(WishedLot(count=5, area_m2=600.0),)),
        ),
        ("La commune (312 habitants) souhaite céder deux lots", Project(lot_count=2)),
        # lots to come, taken from one side of a parcel, and all lots
        (
            "Idée : 7 parcelles de 900 à 1100 m² pour des familles",
            Project(lot_count=7, lots=(WishedLot(count=7, least_m2=900.0, most_m2=1100.0),)),
        ),
        ("AH 61 pour 410 m² à prendre à l'ouest", Project()),
        ("On voudrait des terrains. Lots de 400 mini", Project()),
        # sides of a building are no lots
        ("un bout de 350 m² pour mon hangar (12x15), ça reste à moi", Project(lots=(WishedLot(area_m2=350.0),))),
        ("un bout de 350 m² pour mon hangar (12x15) ça reste à moi", Project(lots=(WishedLot(area_m2=350.0),))),
        # a bound behind a group is no more lots
        (
            "on vise 7-8 lots de 500 m², pas de lots de moins de 450 m²",
            Project(lots=(WishedLot(count=7, area_m2=500.0),)),
        ),
        ("3 plots at the front, 400ish each", Project(3, (WishedLot(count=3, area_m2=400.0, position="front"),))),
        ("2 plots, front half only", Project(lot_count=2)),
        # a neighbour who divides does not build; equal values are no equal areas; a path of riders serves no lot
        ("Our neighbour would part with a corner. I am building the garage myself", Project()),
        ("three lots of equal value", Project(lot_count=3)),
        ("Deux lots. Il faut garder le sentier équestre de 4 m", Project(lot_count=2)),
        # the adjective is no house
        ("2 lots, réseau pluvial existant à conserver", Project(lot_count=2)),
    ],
)
def test_what_describes_something_else_is_no_member_of_the_project(text: str, project: Project) -> None:
    found = read_project(text)
    assert replace(found, keep_outs=()) == project
