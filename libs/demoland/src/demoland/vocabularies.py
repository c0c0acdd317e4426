"""Words that names are made of, by region: fictional communes, and streets named as the region names them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

Region = Literal["mainland", "brittany", "alsace", "corsica", "overseas"]


@dataclass(frozen=True)
class Vocabulary:
    letter: str
    """What a region's commune codes begin with after the department's; the mainland's have digits only."""
    commune_starts: tuple[str, ...]
    commune_ends: tuple[str, ...]
    commune_qualifiers: tuple[str, ...]
    """Before the start, once all starts and ends are used up."""
    kinds: tuple[str, ...]
    """Each as often as streets are of its kind beside the others."""
    given: tuple[str, ...]
    family: tuple[str, ...]
    things: tuple[str, ...]
    """What follows a kind, with its article."""
    common: tuple[str, ...]
    """Whole names that many communes have, those that most have first."""
    own: tuple[str, ...]
    """Whole names of the region."""


TRAPS = (
    "Rue de l'Échelle-Brisée", "Avenue Louis XIV", "Boulevard du 11 Novembre 1918", "Place de la République",
    "Quai de l'Écluse", "Allée des Aubépines", "Rue François Iᵉʳ", "Impasse du Puits-Salé",
    "Chemin de la Fée-Électricité", "Rue Jean XXIII", "Rue du Général de Brûlé", "Avenue du Maréchal Fictif",
    "Rue de la Gare", "Rue du Château d'Eau", "Rue de l'Hôtel de Ville", "Cours Henri IV",
    "Rue des Trois-Frères-Ménard", "Passage de l'Œuvre", "Rue Saint-Éloi", "Rue du 19 Mars 1962",
    "Rue de la Pépinière", "Chemin des Écoliers", "Route de Chimère-les-Essais", "Sente aux Ânes", "Rue d'Ô",
    "Rue Neuve", "Square Zoé-Maïté Noël", "Avenue des Droits de l'Homme", "Rue du Four à Chaux",
    "Impasse Sainte-Cécile",
)  # fmt: skip
"""Accents, ligatures, apostrophes, dates, Roman numerals, short names: what spelling goes wrong on."""

_COMMON = (
    "Rue de l'Église", "Rue de la Mairie", "Rue du Stade", "Place de la Mairie", "Rue du Moulin", "Rue des Écoles",
    "Place de l'Église", "Rue de la Gare", "Grande Rue", "Rue du Château", "Rue Principale", "Chemin des Vignes",
    "Rue de la Fontaine", "Impasse des Lilas", "Rue Pasteur", "Rue Victor Hugo", "Avenue de la République",
    "Rue Jean Moulin", "Rue du 8 Mai 1945", "Rue Jules Ferry", "Avenue du Général de Gaulle", "Rue du Lavoir",
    "Rue des Jardins", "Chemin du Moulin", "Rue de la Poste", "Rue du Calvaire", "Rue Neuve", "Rue du Cimetière",
    "Route de la Forêt", "Allée des Tilleuls", "Rue des Acacias", "Rue du Puits", "Rue Saint-Martin",
    "Rue du 11 Novembre 1918", "Rue Jean Jaurès", "Rue Jacques Prévert", "Impasse du Verger", "Rue du Presbytère",
    "Rue des Prés", "Zone Artisanale", "Rue de Verdun", "Rue du 19 Mars 1962", "Rue Louis Pasteur", "Rue Haute",
    "Rue Basse", "Rue du Général Leclerc", "Rue de la Libération", "Rue Émile Zola", "Allée des Chênes", "Le Bourg",
)  # fmt: skip

_MAINLAND = Vocabulary(
    letter="",
    commune_starts=(
        "Maquette", "Chimère", "Mirage", "Fable", "Songe", "Esquisse", "Feinte", "Légende", "Ébauche", "Rêverie",
        "Utopie", "Parabole", "Énigme", "Mascarade", "Illusion", "Gabarit", "Prototype", "Fantaisie", "Simulacre",
        "Pastiche", "Brouillon", "Conte", "Leurre", "Trompe-l'Œil", "Hypothèse", "Canevas", "Patron", "Spécimen",
        "Échantillon", "Modèle", "Témoin", "Calque",
    ),
    commune_ends=(
        "-les-Essais", "-sur-Songe", "-en-Fiction", "-la-Feinte", "-le-Prétexte", "-sous-Fable", "-lès-Mirages",
        "-sur-Papier", "-d'Essai", "-l'Imaginaire", "-aux-Brumes", "-la-Neuve", "-le-Vieux", "-sur-Rien", "-en-Plaine",
        "-des-Nuées", "-sans-Terre", "-le-Haut", "-le-Bas", "-Saint-Personne", "-sur-l'Onde", "-la-Forêt",
        "-les-Épreuves", "-du-Canevas", "-en-Esquisse", "-sur-Calque", "-lès-Fables", "-la-Blanche", "-le-Rouge",
        "-aux-Échos", "-hors-Carte", "-sur-Marge",
    ),
    commune_qualifiers=(
        "", "Saint-", "Grand-", "Petit-", "Vieux-", "Mont-", "Val-", "Bois-", "Roche-", "Champ-", "Clos-", "Tour-",
        "Fort-", "Puy-", "Combe-", "Lande-", "Prairie-", "Source-", "Fontaine-", "Abbaye-", "Castel-", "Hameau-",
        "Marais-", "Colline-", "Moulin-", "Étang-", "Verger-", "Falaise-", "Gorge-", "Plateau-", "Vignoble-",
        "Ruisseau-", "Garenne-", "Bocage-", "Sainte-", "Cap-", "Notre-Dame-", "Bourg-",
    ),
    kinds=(
        "Rue", "Avenue", "Chemin", "Impasse", "Allée", "Place", "Boulevard", "Route", "Passage", "Sente", "Cours",
        "Square",
    ),
    given=(
        "Jean", "Marie", "Pierre", "Hélène", "Émile", "Louise", "André", "Zoé", "Benoît", "Françoise", "Gaël",
        "Joséphine", "Honoré", "Lucie", "Noël", "Odette", "Raphaël", "Solène", "Théodore", "Yvonne",
    ),
    family=(
        "Martin", "Bernard", "Lefèvre", "Garnier", "Rossignol", "Desmarais", "Picard", "Charpentier", "Vasseur",
        "Hébert", "Joly", "Carpentier", "Mercier", "Fontaine", "Chevalier", "Lambert", "Bonnet", "Rousseau", "Guérin",
        "Moulin", "Dupré", "Lacroix", "Perrin", "Marchand", "Clément", "Barbier", "Gauthier", "Meunier", "Aubry",
        "Brunel", "Delaunay", "Forêt", "Granger", "Huet", "Jourdain", "Langlois", "Maillard", "Noiret", "Olivier",
        "Poirier", "Renard", "Sauvage", "Tessier", "Verdier", "Vidal", "Wagner", "Béranger", "Colin", "Daumier",
        "Étienne",
    ),
    things=(
        "de la Fontaine", "du Moulin", "des Prés", "de l'Église", "du Lavoir", "des Vignes", "de la Forêt", "du Stade",
        "des Écoles", "de la Croix Blanche", "du Bois Joli", "des Tilleuls", "de la Mairie", "du Pont Neuf",
        "des Lilas", "de l'Abreuvoir", "de la Chapelle", "du Calvaire", "des Noyers", "de l'Étang", "de la Source",
        "du Verger", "des Marronniers", "du Château", "de la Vallée", "des Acacias", "de l'Orme", "du Val d'Or",
        "des Peupliers", "de la Plaine",
    ),
    common=_COMMON,
    own=TRAPS,
)  # fmt: skip

COUNTRY = replace(
    _MAINLAND,
    kinds=(*_MAINLAND.kinds, *["Rue"] * 12, "Impasse", "Impasse", "Chemin", "Chemin", "Allée", "Résidence", "Lieu-dit"),
    given=(
        *_MAINLAND.given, "Jacques", "Paul", "Louis", "Charles", "Henri", "Georges", "Marcel", "Robert", "Maurice",
        "Albert", "Simone", "Jeanne", "Camille", "Berthe", "Irène", "Lucien", "Gabriel", "Auguste", "Édouard", "Léon",
        "Roger", "Suzanne", "Germaine", "Fernand", "Gustave", "Alphonse", "Édith", "Marguerite", "Antoine", "Claude",
        "Docteur", "Général", "Abbé", "Colonel", "Maréchal", "Président", "Capitaine", "Frères", "Amiral", "Professeur",
    ),
    family=tuple(
        f"{start}{end}"
        for start, end in product(
            (
                "Ber", "Car", "Del", "Fau", "Gar", "Hau", "Jol", "Lan", "Mar", "Noi", "Per", "Rou", "Sau", "Tes",
                "Val", "Bou", "Cha", "Dur", "Gui", "Lem", "Mon", "Pic", "Rav", "Sor", "Tri", "Vau", "Bel", "Cou",
                "Des", "Fer", "Gro", "Lar", "Mal", "Pel", "Ric", "Sal", "Tou", "Ver", "Bri", "Cla",
            ),
            (
                "thelin", "mont", "lier", "gnon", "reau", "nard", "din", "vel", "rand", "quet", "tier", "ssac",
                "bault", "chard", "court", "dier", "fort", "get", "laud", "mier", "nin", "pin", "ron", "set", "ton",
                "val", "vin", "zac", "gier", "lot",
            ),
        )
    ),
    things=(
        *_MAINLAND.things,
        *(
            f"{thing}{which}"
            for which, thing in product(
                (
                    "", " d'Or", " des Anges", " Saint-Jean", " aux Loups", " de l'Âne", " à la Dame", " du Roi",
                    " Martin", " aux Moines", " sous Bois", " du Haut", " l'Évêque", " Madame", " Gaillard", " Perdu",
                ),
                (
                    "du Champ", "du Pré", "du Bois", "du Clos", "du Puits", "du Four", "de la Croix", "de la Fosse",
                    "de la Grange", "de la Haie", "de la Lande", "de la Côte", "de la Combe", "des Terres",
                    "des Ormes", "des Landes", "de la Mare", "du Pont", "de la Tour", "du Val",
                ),
            )
        ),
    ),
)  # fmt: skip
"""The mainland with as many words as the names of a country have. The demo's own are fewer, and stay as they are."""

_BRETON_PLACES = tuple(
    f"{start}{end}"
    for start, end in product(
        ("Ker", "Ty-", "Coat-", "Roz", "Pen", "Traou-", "Lann-", "Men-"),
        (
            "madec", "goat", "vran", "avel", "vilin", "bras", "bihan", "nevez", "yann", "lann", "roc'h", "c'hoat",
            "zu", "wenn", "loch", "anna", "barz", "voal", "grist", "lec'h", "sal", "iliz", "marc'h", "dour", "louarn",
        ),
    )
)  # fmt: skip

_BRITTANY = Vocabulary(
    letter="B",
    commune_starts=("Plou", "Ker", "Lan", "Tré", "Loc", "Gui", "Pen", "Plo", "Coat", "Roz", "Quim", "Lamp"),
    commune_ends=tuple(
        f"{stem}{end}"
        for end, stem in product(
            ("ec", "ac", "el", "en", "oué", "ar", "igou", "ennec"),
            (
                "chimer", "mirag", "fabl", "gabar", "calqu", "leurr", "feint", "pastich", "brouill", "canev", "simul",
                "utop", "modél", "fictiv", "songe", "brum",
            ),
        )
    ),
    commune_qualifiers=("",),
    kinds=(
        "Rue", "Rue", "Rue", "Rue", "Hent", "Straed", "Impasse", "Chemin", "Allée", "Route", "Venelle", "Place",
        "Lieu-dit", "Lieu-dit",
    ),
    given=(
        "Yann", "Anne", "Gwenola", "Erwan", "Soazig", "Loïc", "Maïwenn", "Per-Jakez", "Nolwenn", "Hervé", "Katell",
        "Tanguy", "Riwal", "Enora", "Corentin", "Youenn",
    ),
    family=(
        "Le Goff", "Le Bihan", "Kermarrec", "Cadiou", "Le Gall", "Guivarc'h", "Quéméneur", "Prigent", "L'Hostis",
        "Abgrall", "Le Roux", "Cloarec", "Bothorel", "Pennec", "Trividic", "Kerbrat", "Le Floc'h", "Riou", "Salaün",
        "An Hir",
    ),
    things=(
        *_BRETON_PLACES, *(f"de {place}" for place in _BRETON_PLACES), "ar Mor", "an Heol", "ar Stank", "Park an Duc",
        "Ti ar Barz", "Prad ar Feunteun", "Kroaz-Hent", "ar Chapel", "Mez ar Groaz", "an Ti Koz",
    ),
    common=(
        "Rue de l'Église", "Rue de la Mairie", "Straed an Iliz", "Rue du Calvaire", "Rue des Ajoncs",
        "Rue des Genêts d'Or", "Place de l'Église", "Hent ar Mor", "Rue du Stade", "Rue Anne de Bretagne",
        "Impasse des Bruyères", "Rue de la Fontaine", "Rue du Menhir", "Rue des Korrigans", *_COMMON[7:40],
    ),
    own=(
        "Straed ar C'hastell", "Plasenn ar Marc'had", "Venelle du Pors-Guen", "Rue du Pont-ar-C'hlan",
        "Hent Koz", "Straed Ti-Kêr", "Rue du Fest-Noz", "Rue de Ker-Anna", "Impasse Traou-Meur", "Rue de l'Aber-Wenn",
        "Rue de la Fontaine Saint-Yves", "Route de Plouchimerec", "Rue Sant-Gwenole", "Hent Penn ar C'hoad",
        "Lieu-dit L'Ankou", "Rue du Roi Gradlon",
    ),
)  # fmt: skip

_ALSACE = Vocabulary(
    letter="A",
    commune_starts=(
        "Chimer", "Mirag", "Fabel", "Gabar", "Kalk", "Feint", "Pastich", "Skizz", "Muster", "Traum", "Märchen",
        "Sagen", "Entwurf", "Prob", "Modell", "Schein", "Nebel", "Phantas", "Irr", "Luft", "Wolken", "Silber",
        "Papier", "Nirgends",
    ),
    commune_ends=tuple(
        f"{end}{where}"
        for where, end in product(
            ("", "-le-Haut", "-le-Bas", "-la-Vallée", "-aux-Mines"),
            (
                "heim", "willer", "bach", "dorf", "hausen", "berg", "ingen", "stein", "matt", "wald", "thal", "bronn",
            ),
        )
    ),
    commune_qualifiers=("",),
    kinds=(
        "Rue", "Rue", "Rue", "Rue", "Rue", "Impasse", "Place", "Quai", "Chemin", "Allée", "Faubourg", "Cour",
        "Passage", "Route", "Boulevard",
    ),
    given=(
        "Hans", "Liesel", "Jean-Jacques", "Albert", "Odile", "Georges", "Charles", "Mathilde", "Frédéric", "Théobald",
        "Ottilie", "Jean-Georges",
    ),
    family=(
        "Schmitt", "Muller", "Kœnig", "Weiss", "Klein", "Schneider", "Meyer", "Zimmermann", "Hübschwerlin",
        "Kellermann", "Ehrhardt", "Wurtz", "Schwilgué", "Stoskopf", "Oberlin", "Hirtz", "Baldner", "Zuber",
    ),
    things=(
        "du Général Leclerc", "du Maréchal Foch", "du Général de Lattre", "des Cigognes", "des Vignerons",
        "des Tonneliers", "de la Houblonnière", "du Ried", "du Schneeberg", "du Rebberg", "de la Krutenau",
        "du Muhlbach", "du Sandgarten", "de l'Altenberg", "du Hohrain", "du Steinacker", "du Kirchweg", "des Tanneurs",
        "du Fossé des Remparts", "de la Synagogue", "des Seigneurs", "du Herrenweg", "du Holzweg", "des Bateliers",
        "de l'Ungersberg", "du Waldeck", "de la Hohwart", "du Niederfeld", "de l'Oberfeld", "du Zellberg",
    ),
    common=(
        "Rue Principale", "Rue de l'Église", "Rue du Général de Gaulle", "Hauptstrasse", "Rue des Vosges",
        "Rue de l'École", "Rue du Moulin", "Rue du Maréchal Joffre", "Rue de la Paix", "Place de la Mairie",
        "Rue des Vignes", "Kirchgasse", "Rue du Stade", "Rue de la Forêt", *_COMMON[10:40],
    ),
    own=(
        "Am Holderstock", "Im Winkel", "Obere Strasse", "Hintergasse", "Mühlweg", "Schulstrasse", "Am Rebgarten",
        "Auf dem Berg", "Rebgasse", "Schlossgasse", "Bahnhofstrasse", "Neugasse", "Grand'Rue", "Quai de l'Ill-Usion",
        "Place du Marché-aux-Choux", "Rue des Frères Mülhauser", "Rue du Vieux-Marché-aux-Poissons", "Zum Grünen Tal",
    ),
)  # fmt: skip

_CORSICA = Vocabulary(
    letter="C",
    commune_starts=(
        "Chimera", "Miraggiu", "Favula", "Sognu", "Modellu", "Prova", "Carta", "Finta", "Ombra", "Fumu", "Nebbia",
        "Luna", "Stella", "Pruvetta", "Disegnu", "Bozzettu", "Fantasia", "Illusione", "Specchju", "Nimu", "Mascara",
        "Conta", "Filastrocca", "Vela",
    ),
    commune_ends=tuple(
        f"-{link}-{word}"
        for word, link in product(
            (
                "Fintu", "Verde", "Sottu", "Sopra", "Mare", "Monti", "Tarocchi", "Valle", "Costa", "Pianu", "Serra",
                "Rossu", "Biancu", "Nova", "Vecchia", "Aria", "Boscu", "Fiume", "Ponte", "Muru",
            ),
            ("di", "è", "in"),
        )
    ),
    commune_qualifiers=("",),
    kinds=(
        "Rue", "Rue", "Rue", "Route", "Chemin", "Strada", "Caminu", "Lotissement", "Résidence", "Impasse", "Piazza",
        "Chjassu", "Quartier", "Lieu-dit",
    ),
    given=(
        "Pasquale", "Ghjuvan", "Anghjula", "Petru", "Battì", "Lisandra", "Dumenicu", "Ghjacumu", "Maria", "Toussaint",
        "Ange-Marie", "Ours-Pierre",
    ),
    family=(
        "Luciani", "Santucci", "Mattei", "Casanova", "Albertini", "Leca", "Ottavi", "Colonna", "Giacobbi", "Filippi",
        "Bartoli", "Quilichini", "Tomasi", "Susini", "Poggi", "Franchi", "Orsini", "Ettori",
    ),
    things=(
        "di l'Olmu", "di u Fornu", "di a Funtana", "di a Ghjesgia", "di u Mulinu", "di e Piane", "di a Torra",
        "di u Ponte", "A Casetta", "U Pughjolu", "E Cannelle", "Terra Bella", "San Ghjuvanni", "Santa Lucia",
        "di l'Alivi", "di u Castagnu", "Suprana", "Suttana", "di a Marina", "di u Campu Longu", "A Punta",
        "Mare è Monti", "di l'Aghja", "di u Lavatoghju", "di a Leccia", "Padule", "Monte Rossu", "di i Pini",
        "Pietra Bianca", "di u Fiume Seccu",
    ),
    common=(
        "Route de la Marina", "Rue de l'Église", "Rue de la Mairie", "Place de l'Église", "Strada Reale",
        "Cours Napoléon", "Rue du Général Paoli", "Lotissement U Paese", "Chemin de la Fontaine", "Route du Village",
        "Piazza di a Ghjesgia", "Route Territoriale", "Rue du Stade", *_COMMON[7:30],
    ),
    own=(
        "Boulevard du Roi Jérôme", "Résidence Les Jardins de l'Empereur", "Traverse du Fiume Secco",
        "Caminu di i Mulini", "Rue du Colonel Fictif", "Hameau de Pietra Bianca", "Quartier Saint-Joseph",
        "Lotissement A Chjusa", "Strada di l'Acqua Fritta", "Lieu-dit L'Ospedale Vechju", "Résidence Parc d'Azur",
        "Montée de l'Archiprêtre", "Vicolu Strettu", "Rampe Ribba", "Corniche du Finosellu-Sognu", "A Stretta",
    ),
)  # fmt: skip

_OVERSEAS = Vocabulary(
    letter="O",
    commune_starts=(
        "Le Morne-", "La Ravine-", "Les Trois-", "Grand-", "Petit-", "Sainte-", "Saint-", "Le Piton-", "L'Anse-",
        "La Plaine-", "Bras-", "Fond-", "La Rivière-", "Le Bois-", "L'Étang-", "La Pointe-", "Les Hauts-de-", "Cap-",
        "La Savane-", "Le Port-", "Deux-", "Bassin-", "La Grande-", "Vieux-",
    ),
    commune_ends=tuple(
        f"{word}{where}"
        for where, word in product(
            ("", "-les-Bains", "-Sous-le-Vent"),
            (
                "Chimère", "Mirage", "Songe", "Fable", "Leurre", "Mascarade", "Légende", "Rêverie", "Utopie", "Énigme",
                "Fantaisie", "Illusion", "Calque", "Prototype", "Brouillon", "Simulacre", "Esquisse", "Parabole",
                "Feinte", "Ébauche",
            ),
        )
    ),
    commune_qualifiers=("",),
    kinds=(
        "Chemin", "Chemin", "Rue", "Rue", "Rue", "Impasse", "Allée", "Lotissement", "Route", "Cité", "Résidence",
        "Lieu-dit", "Sentier",
    ),
    given=(
        "Félix", "Rosette", "Aimé", "Suzanne", "Gaston", "Eugénie", "Toussaint", "Solitude", "Sully", "Gerty",
        "Jean-Baptiste", "Marie-Ange",
    ),
    family=(
        "Payet", "Hoarau", "Grondin", "Célimène", "Boyer", "Fontaine", "Maillot", "Rivière", "Nativel", "Dijoux",
        "Lebon", "Técher", "Zandronis", "Bélénus", "Coquillat", "Numa", "Rosemond", "Vitry",
    ),
    things=(
        "Ravine Blanche", "Ravine à Jacques", "Bras Sec", "Morne Vert", "Morne à l'Eau Claire", "Fond Cacao",
        "Bois Rouge", "des Flamboyants", "des Letchis", "des Filaos", "du Piton", "Grand Fond", "Anse Madère",
        "Bassin Plat", "Mare à Goyaves", "Pointe d'Or", "Belle Eau", "de la Savane", "Habitation Songe",
        "des Cocotiers", "des Alamandas", "Quatre Chemins", "Piton Calvaire", "Bras de Chimère", "Dos d'Âne Vert",
        "Petite Anse", "Trou aux Biches", "Cap Noir", "Camp Créole", "Plateau Caillou Gris",
    ),
    common=(
        "Rue de l'Église", "Rue de la Mairie", "Chemin Départemental", "Rue du Stade", "Allée des Flamboyants",
        "Rue Victor Schœlcher", "Route Nationale 2", "Chemin de la Croix Jubilé", "Impasse des Bougainvilliers",
        "Rue de la Liberté", "Rue du 27 Mai 1848", "Boulevard du Front de Mer", "Cité Bel-Air", *_COMMON[7:30],
    ),
    own=(
        "Lotissement Les Hauts de Chimère", "Allée des Pailles-en-Queue", "Rue du Père-Fictif", "Morne l'Étoile",
        "Impasse Zoizo", "Ruelle Tamarin", "Rue Four-à-Chaux", "Chemin Cap-Noir", "Ravine à Malheur-les-Bas",
        "Rue Amédée-Songe", "Escalier du Bassin-Bleu", "Rue Léopold Trois-Mâts", "Lotissement Ti-Figue",
        "Chemin Ligne Six Cents", "Voie Cannelière", "Lieu-dit L'Îlet à Cordes-Fines",
    ),
)  # fmt: skip

VOCABULARIES: Mapping[Region, Vocabulary] = {
    "mainland": _MAINLAND,
    "brittany": _BRITTANY,
    "alsace": _ALSACE,
    "corsica": _CORSICA,
    "overseas": _OVERSEAS,
}
