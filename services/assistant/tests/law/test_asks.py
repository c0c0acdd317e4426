"""An ask is answered by the cards of its object and its kind of question, and by no card that only shares a word."""

import re
from collections.abc import Callable

import pytest

from assistant.law.asks import intent_of, kinds_of
from assistant.law.cards import load_cards
from assistant.law.finder import found
from assistant.models.base import Brief
from assistant.questions.answers import INTENTS, MOST_WORDS
from assistant.questions.reading import OTHER, read_question
from assistant.text import read_table
from landpartner.land.v1 import land_pb2

MakeBrief = Callable[..., Brief]


def test_every_entry_names_an_intent_that_exists_and_has_conditions() -> None:
    table = read_table("law/asks.toml")
    for entry in table["asks"]:
        assert entry["intent"] in INTENTS
        assert entry["own"]
        assert set(entry.get("kinds", ())) <= table["kinds"].keys()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Qui va payer la borne ?", "who_pays"),
        ("Who has to pay for the pipe?", "who_pays"),
        ("Par quoi je commence ?", "order"),
        ("Combien de mois ?", "how_long"),
        ("How wide?", "how_much"),
        ("Quelles pièces joindre ?", "documents"),
        ("Pourquoi là ?", "why"),
    ],
)
def test_the_kind_of_a_question_is_read(text: str, kind: str) -> None:
    assert kind in kinds_of(text)


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("Un certificat b, c'est valable combien de temps ?", "certificate_valid"),
        ("How long does a certificate stay valid?", "certificate_valid"),
        ("Dois-je demander un CUa ou un CUb ?", "certificate_a_or_b"),
        ("Quels documents pour la déclaration ?", "declaration_file"),
        ("Combien de temps la mairie a pour répondre à ma DP ?", "time_limits_declaration"),
        ("Pas de réponse de la mairie, est-ce un accord tacite ?", "permit_tacit_yes"),
        ("Can I sell my share without my sister?", "indivision_sell_own_share"),
        ("Notre frère refuse de signer la vente", "indivision_two_thirds_sale"),
        ("Les voisins ont combien de jours pour attaquer ?", "appeal_neighbours_two_months"),
        ("La voisine peut-elle contester ?", "appeal_neighbour_standing"),
        ("Ma sœur doit-elle me laisser passer vers le lot du fond ?", "way_landlocked_by_division"),
        ("Qui paie la ligne électrique ?", "networks_electricity_extension"),
        ("Qui finance la borne incendie ?", "fire_access_hydrant"),
        ("Je veux reprendre au fermier un champ pour construire", "farming_take_back_urban_zone"),
        ("Si je donne un lot à mon fils, sa sœur peut-elle réclamer ?", "gift_reserve"),
        ("L'acte dit 900 m² et le cadastre 950, quelle surface croire ?", "area_title_or_cadastre"),
        ("Which guarantee before the road is finished, to sell the lots?", "permit_sell_before_works_guarantee"),
        ("Par qui commencer ?", "procedure_order_of_steps"),
        ("Plus-value : terrain gardé 25 ans, on paie ?", "capital_gain_years_held"),
        ("Êtes-vous ouverts le lundi ?", "service_what_it_is"),
        ("Pouvez-vous changer votre dessin ?", "service_drawing"),
        ("Pour un terrain en pente, faut-il un mur ?", "wall_retaining_needed"),
        ("Quelle emprise au sol pour une maison ?", "density_written_rules"),
        ("Qui paie pour amener l'eau jusqu'au lot, nous ou l'acheteur ?", "networks_seller_or_buyer"),
        ("Who pays to bring the mains to the plot, us or the buyer?", "networks_seller_or_buyer"),
        ("Mon abri de 2022 n'est pas déclaré, je risque une amende ?", "permit_undeclared_still_exposed"),
        ("Is 500 m² the minimum size to build?", "minimum_size_gone"),
        ("The church is listed: can I split with a declaration?", "permit_protected_places"),
        ("Le voisin a écrit au maire, a-t-il deux mois de plus pour le tribunal ?", "appeal_mayor_first_one_month"),
        ("La servitude subsiste-t-elle après la division ?", "easement_after_division"),
        ("En vendant un lot d'abord puis un autre, j'évite le permis d'aménager ?", "procedure_two_steps"),
    ],
)  # fmt: skip
def test_an_ask_finds_the_card_of_its_object_and_kind(text: str, card: str) -> None:
    assert card in {item.id for item in found(text).cards}


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("Ma mère m'a laissé sa part de gâteau et veut vendre sa voiture", "certificate_valid"),
        ("Qui est propriétaire de la borne incendie ?", "boundary_marking_right"),
        ("Le notaire est ouvert le samedi ?", "service_what_it_is"),
        ("La taxe est-elle gratuite pour l'acheteur ?", "service_what_it_is"),
        ("À qui appartient le mur ?", "wall_retaining_needed"),
        ("Combien coûte la construction d'une maison ?", "fees_total_of_division"),
        ("Le plan local va-t-il changer ?", "service_drawing"),
    ],
)
def test_a_shared_word_finds_no_card(text: str, card: str) -> None:
    assert card not in {item.id for item in found(text).cards}


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Combien de lots je peux faire ?", "layout"),
        ("What is the minimum plot size here?", "minimum_size"),
        ("Où passe le réseau d'eau ?", "networks"),
        ("Combien de lots vendus sans permis ?", ""),
        ("Qui signe la vente ?", ""),
    ],
)
def test_an_ask_for_facts_has_its_intent(text: str, intent: str) -> None:
    assert intent_of(text) == intent


@pytest.mark.parametrize(
    ("ask", "told", "card", "beside"),
    [
        ("we are two against one, she is obliged to sell?", "My mother has the usufruct.",
         "usufruct_no_forced_sale", "indivision_all_sign"),
        ("Nous sommes majoritaires, elle est obligée ?", "Ma mère a l'usufruit, mon frère et moi la nue-propriété.",
         "usufruct_no_forced_sale", "indivision_two_thirds_sale"),
        ("Puis-je signer pour eux ?", "Mon mari est mort, nos enfants ont 9 et 14 ans.",
         "minors_sale_judge", "spouses_widow_rights"),
        ("Un ami dit qu'on aura la TVA en plus de la plus-value", "Nous vendons le jardin.",
         "vat_private_seller", "capital_gain_garden_plot"),
        ("On voudrait vendre le terrain de mon oncle", "Ses enfants, personne ne les connaît.",
         "heirs_unknown", "indivision_all_sign"),
        ("Dois-je faire une copropriété pour vendre le rez-de-chaussée ?", "",
         "house_division_sell_half", "indivision_all_sign"),
        ("Ce studio, c'est permis, ça passe ?", "On veut couper la maison et louer un studio de 12 m².",
         "house_division_minimum_home", "lease_home_garden"),
        ("Le voisin sort le cahier des charges qui interdit de diviser", "Notre maison est dans un lotissement.",
         "procedure_cahier_des_charges", "procedure_change_estate"),
        ("On lui fait signer une procuration pour vendre ?", "Maman ne comprend plus rien. Mon frère vit à Montréal.",
         "proxy_needs_sound_mind", "proxy_abroad"),
        ("Comment vendre sa maison ?", "Mamie perd la tête.", "protected_how_to_sell", "gift_plot_to_child"),
        ("Elle peut donner pouvoir à ma sœur ?", "Ma mère a toute sa tête mais ne peut plus se déplacer.",
         "proxy_cannot_travel", "protected_how_to_sell"),
        ("Les petites-filles peuvent réclamer ?", "Nous donnons le terrain à notre petit-fils.",
         "gift_to_grandchild_claim", "gift_tax_allowance"),
    ],
)  # fmt: skip
def test_a_word_that_decides_keeps_a_near_card_away(ask: str, told: str, card: str, beside: str) -> None:
    ids = [item.id for item in found(ask, told).cards]
    assert card in ids
    assert beside not in ids


UNMARKED = [
    ("je voulais savoir si mon frère peut vendre sa part sans moi", "Chacun peut vendre seul"),
    (
        "Hello! Lovely service. I was wondering whether my British will decides who gets the plot.",
        "Un testament étranger",
    ),
    ("je me demande qui paie le géomètre quand on vend un lot", "Cela dépend de votre accord"),
    ("L'ABF dit non, la commune peut-elle passer outre ?", "En site patrimonial"),
    ("le compromis dit sous réserve de DP. La DP a été refusée. le vendeur rend l'acompte ?", "Si une condition"),
    ("We live in Canada. Must we come to France to sign?", "Depuis l’étranger"),
    ("L'étude de sol, moi je dis que c'est à celui qui construit de la payer. J'ai raison ou pas", "Dans les zones"),
    ("Le chemin rural, le maire me le vend, on a tapé dans la main. Faut quoi pour que ça tienne ?!", "Un vote seul"),
    ("Nous avons eu le permis en 2022 et rien commencé, il est encore bon ?", "Un permis tombe"),
]


@pytest.mark.parametrize(("message", "opens"), UNMARKED)
def test_an_ask_without_a_question_mark_or_with_its_object_before_it_is_answered(
    rich_unit: land_pb2.LandUnit, make_brief: MakeBrief, message: str, opens: str
) -> None:
    replies = make_brief(rich_unit, "fr", message).replies
    assert any(reply.statements and reply.statements[0].text.fr.startswith(opens) for reply in replies.answered)


MISREAD = [
    "Qui signe le bail quand le propriétaire vient de partir à la retraite ?",
    "My French neighbour says the horse across our field is a servitude, is that right?",
]


@pytest.mark.parametrize("message", MISREAD)
def test_facts_of_the_land_do_not_answer_an_ask_that_names_other_things(
    rich_unit: land_pb2.LandUnit, make_brief: MakeBrief, message: str
) -> None:
    replies = make_brief(rich_unit, "fr", message).replies
    assert [reply.codes for reply in replies.answered if reply.codes and reply.codes != ("law",)] == []
    assert replies.unanswered


MESSAGES = [
    "Le PLU change bientôt. La mairie peut-elle nous faire attendre ? et qui paie le géomètre ?",
    "Ma sœur ne répond jamais. Puis-je vendre ma part ? ce serait taxé combien ?",
    "Is there a school nearby? Who pays the notary? How long is the certificate valid?",
    "Le hangar est cadastré ? et pourquoi votre plan passe à gauche ? vous êtes ouverts le jeudi ?",
]


@pytest.mark.parametrize("message", MESSAGES)
def test_every_ask_of_a_message_is_answered_or_named(
    rich_unit: land_pb2.LandUnit, make_brief: MakeBrief, message: str
) -> None:
    replies = make_brief(rich_unit, "fr", message).replies
    asks = len(re.findall(r"\?", message))
    headings = [*(reply.heading.fr for reply in replies.answered), *(gap.heading.fr for gap in replies.unanswered)]
    assert len(headings) + sum(heading.count("» «") for heading in headings) >= asks
    for reply in replies.answered:
        if reply.codes == ("law",):
            assert sum(len(item.text.fr.split()) for item in reply.statements) <= MOST_WORDS


def says(card: str) -> str:
    return load_cards()[card].says.fr


@pytest.mark.parametrize(
    ("question", "opens"),
    [
        ("Qui paie le bornage avec le voisin ?", "Tout propriétaire"),
        ("Puis-je vendre ma part sans mes frères ?", "Chacun peut vendre seul"),
    ],
)
def test_what_decides_stands_first(
    rich_unit: land_pb2.LandUnit, make_brief: MakeBrief, question: str, opens: str
) -> None:
    reply = next(reply for reply in make_brief(rich_unit, "fr", question).replies.answered if reply.codes == ("law",))
    assert reply.statements[0].text.fr.startswith(opens)


ANSWERED = [
    ("Bonjour à tous. La banque a une hypothèque sur la maison. Elle peut refuser ?", "hypothèque"),
    ("Ma mère a l'usufruit du champ. Mon frère m'a dit qu'elle signe toujours la vente. C'est vrai ?", "usufruit"),
    ("Qui paie la taxe d'aménagement, moi ou eux ?", "taxe d’aménagement"),
]


@pytest.mark.parametrize(("message", "word"), ANSWERED)
def test_an_ask_without_words_of_its_own_takes_them_from_what_stands_before(
    rich_unit: land_pb2.LandUnit, make_brief: MakeBrief, message: str, word: str
) -> None:
    replies = make_brief(rich_unit, "fr", message).replies
    reply, *_ = [reply for reply in replies.answered if reply.codes == ("law",)]
    assert replies.unanswered == ()
    assert word in reply.statements[0].text.fr


OTHER_MATTERS = [
    "Can we rebuild it and live there all year? It is a ruin, four walls without a roof.",
    "Moins de 150 m², donc pas d'architecte ?",
    "La mairie refuse le permis. Opposable ou gelé ?",
]


@pytest.mark.parametrize("message", OTHER_MATTERS)
def test_the_zone_and_the_protections_answer_no_question_of_law(
    rich_unit: land_pb2.LandUnit, make_brief: MakeBrief, message: str
) -> None:
    replies = make_brief(rich_unit, "fr", message).replies
    codes = {code for reply in replies.answered for code in reply.codes}
    assert codes.isdisjoint({"zone_type", "protected_surroundings", "stay_of_decision"})
    assert replies.unanswered or "law" in codes


def test_an_ask_that_stands_beside_another_gets_its_own_answer(
    rich_unit: land_pb2.LandUnit, make_brief: MakeBrief
) -> None:
    message = "On a deux tiers à deux, ça suffit pour vendre la maison sans notre frère ? Et le loyer qu'il paye pas ?"
    sale, rent = make_brief(rich_unit, "fr", message).replies.answered
    assert "loyer" not in sale.heading.fr
    assert rent.heading.fr == "« Et le loyer qu'il paye pas ? »"
    assert rent.cards[0].id == "indivision_occupant_pays"


def test_another_ask_of_the_text_counts_for_no_card(rich_unit: land_pb2.LandUnit, make_brief: MakeBrief) -> None:
    message = "Est-ce que je peux vendre ma part ? Le fermier doit-il partir ? Qui paie le géomètre ?"
    replies = make_brief(rich_unit, "fr", message).replies
    [reply] = [reply for reply in replies.answered if "vendre ma part" in reply.heading.fr]
    assert reply.statements[0].text.fr.startswith("Chacun peut vendre seul sa part")


@pytest.mark.parametrize(
    ("year", "opens"),
    [(1987, "plus de trente ans"), (2000, "plus de vingt-deux ans"), (2019, "moins de vingt-deux ans")],
)
def test_the_year_of_purchase_decides_the_tax_on_the_gain(
    rich_unit: land_pb2.LandUnit, make_brief: MakeBrief, year: int, opens: str
) -> None:
    question = f"On a acheté en {year}, paie-t-on la plus-value ?"
    [reply] = make_brief(rich_unit, "fr", question).replies.answered
    assert opens in reply.statements[0].text.fr


@pytest.mark.parametrize(
    ("told", "is_flagged"),
    [("1 400 m²", True), ("1400m2", True), ("1200 m²", False), ("1 180 m²", False)],
)
def test_a_told_area_that_is_not_the_land_s_is_flagged_once(
    rich_unit: land_pb2.LandUnit, make_brief: MakeBrief, told: str, *, is_flagged: bool
) -> None:
    replies = make_brief(rich_unit, "fr", f"J'ai un terrain de {told}. Quelle est la pente ?").replies
    flags = [item for reply in replies.answered for item in reply.statements if "Vous parlez de" in item.text.fr]
    assert len(flags) == is_flagged


def test_prices_of_houses_are_not_told_as_those_of_land(rich_unit: land_pb2.LandUnit, make_brief: MakeBrief) -> None:
    [reply] = make_brief(rich_unit, "fr", "Des ventes de terrains dans le secteur ?").replies.answered
    assert any("aucune vente de terrain à bâtir" in item.text.fr for item in reply.statements)


@pytest.mark.parametrize(
    ("message", "card"),
    [
        ("Ma tante est sous tutelle, je suis son tuteur. Je signe seul chez le notaire ?", "protected_guardian_land"),
        (
            "Un éleveur a mon pré en prêt gratuit. Comment je récupère mon pré sans me fâcher ?",
            "farming_free_loan_commodat",
        ),
        (
            "The town writes that it is buying our plot for less than the agreed price. Can it?",
            "pre_emption_town_lower_price",
        ),
    ],
)
def test_a_card_stands_before_facts(
    rich_unit: land_pb2.LandUnit, make_brief: MakeBrief, message: str, card: str
) -> None:
    replies = make_brief(rich_unit, "fr", message).replies.answered
    assert card in {item.id for reply in replies for item in reply.cards}


def test_what_somebody_says_is_no_rule_is_asked(rich_unit: land_pb2.LandUnit, make_brief: MakeBrief) -> None:
    message = "Quel est le délai du permis ? Et les bornes, le vendeur dit pas besoin."
    replies = make_brief(rich_unit, "fr", message).replies
    headings = [reply.heading.fr for reply in replies.answered] + [gap.heading.fr for gap in replies.unanswered]
    assert any("pas besoin" in heading for heading in headings)


def test_a_doubt_alone_asks_for_the_sentence_before_it(rich_unit: land_pb2.LandUnit, make_brief: MakeBrief) -> None:
    message = "Mon oncle dit que je dois payer l'étude de sol. Il rigole non ?"
    replies = make_brief(rich_unit, "fr", message).replies
    assert {reply.cards[0].id for reply in replies.answered} == {"sale_soil_study"}
    assert replies.unanswered == ()


@pytest.mark.parametrize(
    "text",
    ["Il peut couper et vendre le jardin sans moi ?", "À deux on peut couper le terrain et vendre le fond ?"],
)
def test_whether_some_of_the_owners_may_divide_is_not_asked_of_the_study(text: str) -> None:
    [ask] = read_question(text)
    assert ask.intent == OTHER


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Avec quelle façade chacun ?", "layout"),
        ("Combien de m² pourrait-on vendre ?", "layout"),
        ("Où passerait la nouvelle limite ?", "layout"),
        ("Please give the sizes", "layout"),
        ("has at least 12 metres on the road?", "layout"),
        ("Where would the boundary run?", "layout"),
        ("Faut-il un permis d'aménager ?", "procedure"),
        ("Quelles démarches faut-il faire ?", "procedure"),
        ("What permit is needed?", "procedure"),
        ("Faut-il passer par un géomètre et un notaire ?", "procedure"),
        ("Do we need a surveyor and a notary?", "procedure"),
        ("De quelle couleur repeindre la façade ?", ""),
        ("Faut-il au moins 4 m de façade sur rue ?", ""),
        ("Où passe la limite avec le voisin ?", ""),
        ("How many square metres of living area could I sell?", ""),
        ("Where is the boundary with my neighbour?", ""),
        ("Quel permis pour une piscine ?", "pool"),
        ("What permit is needed to build a shed?", ""),
        ("Qui paie le géomètre et le notaire ?", ""),
        ("How much do a surveyor and a notary cost?", ""),
    ],
)
def test_what_the_study_states_is_told_from_what_only_sounds_like_it(text: str, intent: str) -> None:
    assert intent_of(text) == intent
