"""Sentences as plans write them, with their right reading. Words of our own, in the forms that plans use."""

ROAD = "Article UB 6 : Implantation par rapport aux voies et emprises publiques"
BOUNDARY = "Article UB 7 : Implantation par rapport aux limites séparatives"
BETWEEN = "Article UB 8 : Implantation des constructions les unes par rapport aux autres sur une même propriété"
FOOTPRINT = "Article UB 9 : Emprise au sol"
HEIGHT = "Article UB 10 : Hauteur maximale des constructions"
PARKING = "Article UB 12 : Stationnement"
GREEN = "Article UB 13 : Espaces libres et plantations"
ACCESS = "Article UB 3 : Accès et voirie"

READINGS: tuple[tuple[str, str, list[tuple[str, str, float | None]]], ...] = (
    # heading, text, main values as (subject, operator, value); a boundary rule is for side and rear
    (
        ROAD,
        "Les constructions doivent respecter un recul minimum de 5 m par rapport à l'alignement.",
        [("setback_road", "min", 5)],
    ),
    (
        ROAD,
        "Les constructions sont implantées à une distance au moins égale à 4 mètres de l'alignement.",
        [("setback_road", "min", 4)],
    ),
    (ROAD, "Le recul ne pourra être inférieur à quatre mètres.", [("setback_road", "min", 4)]),
    (
        ROAD,
        "Aucune construction ne peut être implantée à moins de 10 m de l'alignement.",
        [("setback_road", "min", 10)],
    ),
    (ROAD, "Le retrait ne peut être supérieur à 6 m.", [("setback_road", "max", 6)]),
    (ROAD, "La façade principale est implantée avec un retrait maximum de 3 mètres.", [("setback_road", "max", 3)]),
    (
        ROAD,
        "Les constructions doivent être implantées soit à l'alignement, soit en retrait de 3 m au minimum.",
        [("setback_road", "on_limit_allowed", 0), ("setback_road", "min", 3)],
    ),
    (
        ROAD,
        "Les constructions doivent être implantées à l'alignement des voies publiques ou privées.",
        [("setback_road", "on_limit_required", 0)],
    ),
    (ROAD, "Les constructions peuvent être implantées à l'alignement.", [("setback_road", "on_limit_allowed", 0)]),
    (
        ROAD,
        "Les constructions s'implantent dans une bande de 0 à 5 mètres comptée à partir de l'alignement.",
        [("setback_road", "on_limit_allowed", 0), ("setback_road", "max", 5)],
    ),
    (
        ROAD,
        "Les constructions doivent être implantées à 15 m au moins de l'axe de la voie.",
        [("setback_road", "min", 15)],
    ),
    (ROAD, "Les débords de toiture et les balcons ne sont pas pris en compte dans la limite de 0,80 m.", []),
    (ROAD, "Toutefois, un recul de 2 m peut être admis pour l'extension d'une construction existante.", []),
    (ROAD, "Les piscines sont implantées à 1 m au moins de l'alignement.", []),
    (ROAD, "Les portails sont en retrait de 5 m.", []),
    (
        ROAD,
        "Sauf en cas d'adossement, la hauteur des constructions implantées sur limite est inférieure ou égale à 3,5 m.",
        [],
    ),
    (ROAD, "Le recul est porté à 10 m le long de la route départementale.", []),
    (
        ROAD,
        "Lorsque le bâtiment est édifié en bordure d'une voie publique, "
        "la distance comptée horizontalement de tout point de l'immeuble au point le plus proche de"
        " l'alignement opposé doit être au moins égale à la différence d'altitude entre ces deux points.",
        [("setback_road", "formula", None)],
    ),
    (
        ROAD,
        "Le recul est d'au moins 10 m en UBa, 12 m en UBb et 9 m dans le reste de la zone.",
        [("setback_road", "min", 9)],
    ),
    (
        ROAD,
        "Les façades se tiennent à une distance de l'alignement comprise entre trois et huit mètres.",
        [("setback_road", "range", 3)],
    ),
    (
        BOUNDARY,
        "Les constructions peuvent être implantées en limite séparative ou en retrait de 3 mètres minimum.",
        [("setback_side", "on_limit_allowed", 0), ("setback_side", "min", 3)],
    ),
    (
        BOUNDARY,
        "La distance comptée horizontalement de tout point du bâtiment à la limite séparative la"
        " plus proche doit être au moins égale à la moitié de la hauteur, "
        "avec un minimum de 4 m.",
        [("setback_side", "min", 4)],
    ),
    (
        BOUNDARY,
        "Si la construction n'est pas implantée en limite, elle doit s'en écarter de 3 m au moins.",
        [("setback_side", "on_limit_allowed", 0), ("setback_side", "min", 3)],
    ),
    (BOUNDARY, "En cas de retrait, celui-ci doit être supérieur ou égal à 3 mètres.", [("setback_side", "min", 3)]),
    (
        BOUNDARY,
        "Les constructions doivent être implantées en retrait des limites séparatives. Ce retrait"
        " sera au minimum de 5 m.",
        [("setback_side", "on_limit_forbidden", None), ("setback_side", "min", 5)],
    ),
    (
        BOUNDARY,
        "Les constructions doivent respecter un recul de 3 m par rapport aux limites latérales et de"
        " 5 m par rapport à la limite de fond de parcelle.",
        [("setback_side", "min", 3), ("setback_rear", "min", 5)],
    ),
    (
        BOUNDARY,
        "L'implantation en limite séparative est interdite.",
        [("setback_side", "on_limit_forbidden", None)],
    ),
    (
        BOUNDARY,
        "L'implantation en limite est interdite, sauf pour les abris de jardin.",
        [("setback_side", "on_limit_forbidden", None)],
    ),
    (BOUNDARY, "L'implantation en limite est interdite, sauf accord du voisin.", []),
    (BOUNDARY, "Les annexes d'une emprise inférieure à 12 m² peuvent être implantées à 1 m de la limite.", []),
    (BOUNDARY, "Les bassins des piscines doivent être situés à 2 m au moins des limites séparatives.", []),
    (BOUNDARY, "En limite séparative, la hauteur ne peut excéder 3,50 m.", []),
    (BOUNDARY, "Les équipements d'intérêt collectif peuvent s'implanter à 1 m minimum.", []),
    (
        BETWEEN,
        "Les constructions non contiguës doivent être distantes d'au moins 4 m.",
        [("between_buildings", "min", 4)],
    ),
    (
        BETWEEN,
        "La distance entre deux bâtiments ne peut être inférieure à 8 mètres.",
        [("between_buildings", "min", 8)],
    ),
    (BETWEEN, "La distance entre deux constructions ne peut excéder 15 mètres.", [("between_buildings", "max", 15)]),
    (
        BETWEEN,
        "La distance entre deux constructions doit être au moins égale à la hauteur de la plus haute.",
        [("between_buildings", "formula", None)],
    ),
    (BETWEEN, "Une distance de 3 m entre une piscine et l'habitation est exigée.", []),
    (
        FOOTPRINT,
        "L'emprise au sol des constructions ne doit pas excéder 40 % de la superficie du terrain.",
        [("footprint_ratio", "max", 40)],
    ),
    (FOOTPRINT, "Le coefficient d'emprise au sol maximal est fixé à 0,35.", [("footprint_ratio", "max", 35)]),
    (
        FOOTPRINT,
        "La surface bâtie ne peut excéder quarante-cinq pour cent du terrain.",
        [("footprint_ratio", "max", 45)],
    ),
    (FOOTPRINT, "L'emprise au sol est limitée à 40 % (quarante pour cent).", [("footprint_ratio", "max", 40)]),
    (
        FOOTPRINT,
        "L'emprise au sol est de 60 % en UBa, de 50 % en UBb et du tiers du terrain ailleurs.",
        [("footprint_ratio", "max", 33.33)],
    ),
    (FOOTPRINT, "Pour les terrains de moins de 300 m², l'emprise au sol peut être portée à 60 %.", []),
    (FOOTPRINT, "Le C.E.S. est limité à 0,5.", [("footprint_ratio", "max", 50)]),
    (FOOTPRINT, "L'emprise au sol maximale est de 60%.", [("footprint_ratio", "max", 60)]),
    (
        FOOTPRINT,
        "L'emprise au sol de l'ensemble des constructions, annexes comprises, "
        "est plafonnée à 30 % de l'unité foncière.",
        [("footprint_ratio", "max", 30)],
    ),
    (FOOTPRINT, "L'extension est limitée à 30 % de l'emprise au sol existante.", []),
    (FOOTPRINT, "L'emprise au sol des annexes est limitée à 40 m².", []),
    (FOOTPRINT, "Elle peut être portée à 50 % pour les équipements publics.", []),
    (HEIGHT, "La hauteur des constructions ne doit pas excéder 9 m au faîtage.", [("height_ridge", "max", 9)]),
    (
        HEIGHT,
        "La hauteur maximale est de 6 mètres à l'égout du toit et de 10 mètres au faîtage.",
        [("height_eave", "max", 6), ("height_ridge", "max", 10)],
    ),
    (
        HEIGHT,
        "La hauteur à l'égout est limitée à 7 m ; la hauteur au faîtage est limitée à 12 m.",
        [("height_eave", "max", 7), ("height_ridge", "max", 12)],
    ),
    (
        HEIGHT,
        "La hauteur des constructions, mesurée à l'égout du toit, ne peut dépasser 6,50 m.",
        [("height_eave", "max", 6.5)],
    ),
    (
        HEIGHT,
        "La hauteur à l'acrotère des toitures terrasses est limitée à 7 mètres.",
        [("height_flat_roof", "max", 7)],
    ),
    (HEIGHT, "Les constructions ne doivent pas comporter plus de deux niveaux.", [("storeys", "max", 2)]),
    (HEIGHT, "La hauteur est limitée à R+1+C.", [("storeys", "max", 2)]),
    (HEIGHT, "La hauteur des annexes ne peut excéder 3,50 mètres au faîtage.", [("height_annex", "max", 3.5)]),
    (HEIGHT, "Les antennes ne peuvent dépasser 12 m.", []),
    (HEIGHT, "La hauteur des clôtures est limitée à 1,80 m.", []),
    (HEIGHT, "Un dépassement de 1 mètre peut être admis pour les cheminées.", []),
    (HEIGHT, "La hauteur est mesurée tous les 20 m dans les terrains en pente.", []),
    (
        GREEN,
        "Au moins 30 % de la superficie du terrain doit être maintenu en pleine terre.",
        [("full_ground_ratio", "min", 30)],
    ),
    (GREEN, "Les espaces verts doivent couvrir au minimum 20 % de l'unité foncière.", [("green_ratio", "min", 20)]),
    (
        GREEN,
        "40 % minimum de la surface du terrain sera traité en espaces verts, dont la moitié en pleine terre.",
        [("green_ratio", "min", 40), ("full_ground_ratio", "min", 50)],
    ),
    (GREEN, "Les surfaces imperméabilisées ne peuvent excéder 60 % du terrain.", [("impermeable_ratio", "max", 60)]),
    (GREEN, "La pente des talus n'excède pas 30 %.", []),
    (GREEN, "50 % au moins des espaces libres sont traités en pleine terre.", [("full_ground_ratio", "min", 50)]),
    (GREEN, "Les toitures terrasses sont végétalisées sur 60 % de leur surface.", []),
    (GREEN, "La marge de recul est plantée sur 40 % au moins de sa surface.", []),
    (PARKING, "Il est exigé deux places de stationnement par logement.", [("parking", "min", 2)]),
    (
        PARKING,
        "Pour les constructions à usage d'habitation : 1 place par tranche de 60 m² de surface de plancher, "
        "avec un minimum de 1 place par logement.",
        [("parking", "min", 1)],
    ),
    (
        PARKING,
        "Pour les bureaux, il ne peut être réalisé plus de 1 place pour 50 m² de surface de plancher.",
        [("parking", "max", 1)],
    ),
    (
        PARKING,
        "Pour les logements locatifs financés avec un prêt aidé par l'État, "
        "il ne peut être exigé plus d'une place par logement.",
        [],
    ),
    (PARKING, "Une place visiteur pour 5 logements est exigée.", []),
    (PARKING, "Chaque place a une largeur de 2,50 m et une longueur de 5 m.", []),
    (ACCESS, "Les accès doivent avoir une largeur minimale de 3,50 m.", [("access_width", "min", 3.5)]),
    (ACCESS, "La largeur de l'accès ne peut excéder 4 mètres.", [("access_width", "max", 4)]),
    (ACCESS, "Les voies nouvelles ont une largeur minimale de chaussée de 5 mètres.", [("road_width", "min", 5)]),
    (ACCESS, "La largeur des voies n'est jamais inférieure à 6 mètres.", [("road_width", "min", 6)]),
    (ACCESS, "Les voies en impasse ne peuvent excéder 50 mètres de long.", []),
    (ACCESS, "Les portails sont implantés à 5 m de l'alignement.", []),
    # lists, sectors, half sentences
    (
        ROAD,
        "Les constructions doivent être implantées :\n- à l'alignement ;\n- ou en retrait d'au moins 5 m.",
        [("setback_road", "on_limit_allowed", 0), ("setback_road", "min", 5)],
    ),
    (
        ROAD,
        "Dans le secteur UBa :\nRecul minimum de 12 m.\nDans les autres secteurs :\nRecul minimum de 5 m.",
        [("setback_road", "min", 5)],
    ),
    (
        ROAD,
        "En secteur UBa, le recul est de 12 m au moins. En secteur UBb, "
        "il est de 8 m au moins.\nPartout ailleurs, le recul est de 4 m au moins.",
        [("setback_road", "min", 4)],
    ),
    (
        ROAD,
        "Les constructions doivent être implantées avec un recul d'au moins :\n- 75 m par rapport à"
        " l'axe de la RN 10 ;\n- 5 m par rapport à l'alignement des autres voies.",
        [("setback_road", "min", 75), ("setback_road", "min", 5)],
    ),
    (
        ROAD,
        "Sauf indications contraires portées au document graphique, "
        "les constructions doivent être implantées à 3 m au moins de l'alignement.",
        [("setback_road", "min", 3)],
    ),
    (
        BOUNDARY,
        "Les constructions doivent être implantées :\n- soit en limite séparative ;\n- soit en"
        " retrait. Dans ce cas, "
        "la distance de la construction à la limite est au moins égale à la moitié de sa hauteur, "
        "sans être inférieure à 3 m (L ≥ H/2, minimum 3 m).",
        [("setback_side", "on_limit_allowed", 0), ("setback_side", "min", 3)],
    ),
    (
        BOUNDARY,
        "1. Dans une bande de 20 m comptée depuis l'alignement, "
        "les constructions sont implantées d'une limite latérale à l'autre.\n2. Au-delà de cette bande, "
        "un retrait de 4 m minimum est exigé.",
        [("depth_band", "exact", 20), ("setback_side", "on_limit_required", 0), ("setback_side", "min", 4)],
    ),
    (
        BOUNDARY,
        "a) Limites latérales\nLe retrait est de 3 m au minimum.\nb) Limites de fond\nLe retrait est"
        " de 6 m au minimum.",
        [("setback_side", "min", 3), ("setback_rear", "min", 6)],
    ),
    (
        BOUNDARY,
        "Les constructions sont édifiées en retrait. La marge ne peut être inférieure à 3 m. Elle"
        " est réduite à 2 m pour les annexes.",
        [("setback_side", "on_limit_forbidden", None), ("setback_side", "min", 3)],
    ),
    (
        FOOTPRINT,
        "L'emprise au sol ne peut excéder :\n- 40 % pour les terrains de moins de 600 m² ;\n- 30 %"
        " pour les terrains de 600 m² et plus.",
        [("footprint_ratio", "max", 40), ("footprint_ratio", "max", 30)],
    ),
    (FOOTPRINT, "UBa : 60 %\nUBb : 40 %", []),
    (
        FOOTPRINT,
        "L'emprise au sol est limitée à 50 %, et à 70 % dans le secteur UBa.",
        [("footprint_ratio", "max", 50)],
    ),
    (
        HEIGHT,
        "La hauteur est limitée à 9 m au faîtage. Elle est portée à 12 m dans le secteur UBa.",
        [("height_ridge", "max", 9)],
    ),
    (
        HEIGHT,
        "Pour les constructions à usage d'habitation :\n- 6 m à l'égout ;\n- 9 m au faîtage.\nPour"
        " les autres constructions : 12 m au faîtage.",
        [("height_eave", "max", 6), ("height_ridge", "max", 9), ("height_ridge", "max", 12)],
    ),
    (HEIGHT, "La hauteur ne doit pas dépasser 7 m à l'égout ou à l'acrotère.", [("height_eave", "max", 7)]),
    (
        HEIGHT,
        "La hauteur n'excède pas 10 mètres au faîtage, hors cheminées et antennes.",
        [("height_ridge", "max", 10)],
    ),
    (HEIGHT, "Lorsque la construction est implantée en limite, sa hauteur ne peut excéder 4 m.", []),
    (
        HEIGHT,
        "La hauteur maximale des constructions est fixée à : 9 m (faîtage) et 6 m (égout).",
        [("height_ridge", "max", 9), ("height_eave", "max", 6)],
    ),
    (
        PARKING,
        "Habitation : 2 places par logement, "
        "dont une couverte.\nBureaux : 1 place pour 40 m² de surface de plancher.\nCommerces : 1"
        " place pour 25 m² de surface de vente.",
        [("parking", "min", 2), ("parking", "min", 1), ("parking", "min", 1)],
    ),
    (
        PARKING,
        "Logement\n1,5 place par logement au minimum\nHôtel\n1 place pour 2 chambres",
        [("parking", "min", 1.5), ("parking", "min", 1)],
    ),
    (PARKING, "Pour les vélos : 1 place par logement.", []),
    (
        GREEN,
        "Terrains de moins de 500 m² : 20 % de pleine terre au minimum.\nTerrains de 500 à 1 000 m²"
        " : 30 % de pleine terre au minimum.",
        [("full_ground_ratio", "min", 20), ("full_ground_ratio", "min", 30)],
    ),
    (
        ACCESS,
        "La largeur minimale d'un accès est de 4 m. Celle des voies nouvelles est de 6 m au moins.",
        [("access_width", "min", 4), ("road_width", "min", 6)],
    ),
    (
        ACCESS,
        "Les voies nouvelles doivent avoir une largeur minimale de 5 m de chaussée et de 8 m d'emprise.",
        [("road_width", "min", 5), ("road_width", "min", 8)],
    ),
    (
        ACCESS,
        "Les accès desservant un seul logement ont au moins 3 m de large ; ceux qui desservent"
        " plusieurs logements ont au moins 5 m de large.",
        [("access_width", "min", 3), ("access_width", "min", 5)],
    ),
    (
        ROAD,
        "La façade est implantée à 5 m au moins et à 25 m au plus de l'alignement.",
        [("setback_road", "min", 5), ("setback_road", "max", 25)],
    ),
    (
        BOUNDARY,
        "Les constructions sont à une distance des limites séparatives égale ou supérieure à 3 m.",
        [("setback_side", "min", 3)],
    ),
    (BOUNDARY, "Lorsque le terrain jouxte une zone agricole, le retrait est porté à 10 m.", []),
    (
        FOOTPRINT,
        "L'emprise au sol ne peut être inférieure à 20 % ni supérieure à 50 %.",
        [("footprint_ratio", "min", 20), ("footprint_ratio", "max", 50)],
    ),
    (FOOTPRINT, "L'emprise au sol dans les secteurs UBa et UBb ne peut excéder respectivement 20 % et 40 %.", []),
    (
        HEIGHT,
        "La hauteur est fixée à 12 m pour les activités et à 7 m pour les habitations.",
        [("height_ridge", "max", 12), ("height_ridge", "max", 7)],
    ),
    (
        HEIGHT,
        "Le gabarit est limité à R+2, soit 9 m à l'acrotère et 12 m au faîtage.",
        [("height_flat_roof", "max", 9), ("height_ridge", "max", 12), ("storeys", "max", 3)],
    ),
    (HEIGHT, "La hauteur n'excède pas un rez-de-chaussée et un étage (R+1).", [("storeys", "max", 2)]),
    (
        GREEN,
        "Au moins 50 % des espaces libres sont perméables et 20 % du terrain en pleine terre.",
        [("green_ratio", "min", 50), ("full_ground_ratio", "min", 20)],
    ),
    # places, floors of formulas, what is allowed by exception, other words for a head
    (BOUNDARY, "En limite de fond de terrain, le retrait est de 6 m.", [("setback_rear", "min", 6)]),
    (BOUNDARY, "En limites latérales : retrait de 4 m au minimum.", [("setback_side", "min", 4)]),
    (ROAD, "En bordure de la voie, les constructions respectent un recul de 5 m.", [("setback_road", "min", 5)]),
    (
        BOUNDARY,
        "Les constructions sont à une distance des limites égale au moins à leur hauteur diminuée de 3 m, "
        "avec un minimum de 4 m.",
        [("setback_side", "min", 4)],
    ),
    (
        BOUNDARY,
        "La distance est au moins égale aux deux tiers de la hauteur et le retrait ne peut être inférieur à 4 m.",
        [],
    ),
    (BOUNDARY, "La distance est telle que L >= H - 3, avec un minimum de 4 m.", [("setback_side", "min", 4)]),
    (
        BOUNDARY,
        "Les constructions respectent un retrait minimal de 3 m.\nPar rapport à la limite de fond de terrain, "
        "le retrait est de 6 m au minimum.",
        [("setback_side", "min", 3), ("setback_rear", "min", 6)],
    ),
    (
        BOUNDARY,
        "Les constructions peuvent s'implanter en limite séparative.\nEn cas de retrait, il est de 3 m au minimum "
        "par rapport à la limite latérale.",
        [("setback_side", "on_limit_allowed", 0), ("setback_side", "min", 3)],
    ),
    (
        ROAD,
        "Le recul est de 4 m au moins. Les constructions pourront exceptionnellement être implantées à l'alignement.",
        [("setback_road", "min", 4)],
    ),
    (
        ROAD,
        "Le recul est de 4 m au moins. Les constructions peuvent être à l'alignement pour des motifs d'architecture.",
        [("setback_road", "min", 4)],
    ),
    (
        HEIGHT,
        "La hauteur est limitée à 9 m au faîtage. Pour les toitures-terrasses, elle est ramenée à 7 m à l'acrotère.",
        [("height_ridge", "max", 9), ("height_flat_roof", "max", 7)],
    ),
    ("Article UB 3 : Desserte", "Les accès ont une largeur minimale de 4 m.", [("access_width", "min", 4)]),
    (
        "Article UB 8 : Implantation des constructions entre elles",
        "Les constructions sont distantes d'au moins 4 m.",
        [("between_buildings", "min", 4)],
    ),
    (
        "2. Comment s'implanter",
        "a) Les constructions respectent un recul d'au moins 5 m par rapport à l'alignement.",
        [("setback_road", "min", 5)],
    ),
    (PARKING, "1 place jusqu'à 60 m² de surface de plancher, 2 places au-delà.", []),
    (PARKING, "Il est exigé 2 places par logement et 1 place visiteur pour 4 logements.", [("parking", "min", 2)]),
    (
        BOUNDARY,
        "Les constructions observent un écart au moins égal à leur hauteur à l'égout diminuée de deux mètres.",
        [],
    ),
    (
        GREEN,
        "Les opérations de plus de 12 logements réservent 15 % du terrain à un espace commun.",
        [("open_space_ratio", "min", 15)],
    ),
    (GREEN, "Un espace commun occupe 15 % de l'opération.", []),
    (
        GREEN,
        "La part de pleine terre est de 40 % au moins. Pour les terrains de moins de 250 m², elle est réduite à 10 %.",
        [("full_ground_ratio", "min", 40), ("full_ground_ratio", "min", 10)],
    ),
    (GREEN, "Le coefficient de biotope est d'au moins 0,35.", [("green_ratio", "min", 0.35)]),
    (GREEN, "Le coefficient de biotope compte les toitures à 0,3 et les sols perméables à 0,5.", []),
    (
        FOOTPRINT,
        "L'emprise des bâtiments, existants ou à créer, reste au-dessous de 25 % du terrain.",
        [("footprint_ratio", "max", 25)],
    ),
    (
        HEIGHT,
        "Si la construction reçoit une toiture plate, sa hauteur est limitée à 5 m à l'acrotère.",
        [("height_flat_roof", "max", 5)],
    ),
    (
        HEIGHT,
        "La hauteur ne dépasse pas 6 m à l'égout. À l'acrotère, elle est au plus égale à la hauteur de l'égout.",
        [("height_eave", "max", 6), ("height_flat_roof", "max", 6)],
    ),
    (
        HEIGHT,
        "La hauteur à l'égout est de 5,50 m au plus. L'acrotère ne peut dépasser la hauteur de l'égout majorée de 1 m.",
        [("height_eave", "max", 5.5), ("height_flat_roof", "max", 6.5)],
    ),
    (
        ROAD,
        "Les façades se placent à l'alignement ou à une distance qui ne doit pas être supérieure à 2 m.",
        [("setback_road", "on_limit_allowed", 0), ("setback_road", "max", 2)],
    ),
    (
        PARKING,
        "Logements individuels : 3 places par logement. Logements collectifs : 1,5 place par logement.",
        [("parking", "min", 3), ("parking", "min", 1.5)],
    ),
    (PARKING, "Le nombre de places par logement est limité à deux.", [("parking", "max", 2)]),
    (PARKING, "Il est exigé 3 places par logement au moins (deux en UBa).", [("parking", "min", 3)]),
    (BOUNDARY, "Limites latérales : 0 ou 4 m.", [("setback_side", "on_limit_allowed", 0), ("setback_side", "min", 4)]),
    (
        FOOTPRINT,
        "Terrains < 350 m² : 55 %. Terrains ≥ 350 m² : 45 %.",
        [("footprint_ratio", "max", 55), ("footprint_ratio", "max", 45)],
    ),
    (
        ROAD,
        "Hormis en UBa, où l'implantation à l'alignement est de règle, le recul est de 6 m au moins.",
        [("setback_road", "min", 6)],
    ),
    (
        HEIGHT,
        "L'égout est à 3 m au plus pour les constructions de plain-pied et 6 m pour les autres.",
        [],
    ),
    (
        ROAD,
        "Le long de la RD 8, le recul est de 20 m de l'axe. Le long des autres voies, il est de 4 m.",
        [("setback_road", "min", 20), ("setback_road", "min", 4)],
    ),
    (
        PARKING,
        "1 place pour les logements de moins de 45 m² ; 2 places pour les logements de plus de 45 m².",
        [("parking", "min", 1), ("parking", "min", 2)],
    ),
    (
        BETWEEN,
        "Sauf si elles se touchent, deux constructions d'habitation sont séparées de 7 m au moins.",
        [("between_buildings", "min", 7)],
    ),
    (
        ROAD,
        "Sauf le long de la RD 4 où le retrait est de 15 m de l'axe, les constructions ont un retrait d'au moins 6 m.",
        [("setback_road", "min", 6)],
    ),
    (
        HEIGHT,
        "Les annexes ne dépassent pas 4 m au faîtage. Lorsqu'elles sont admises, les toitures plates ont au plus 5 m à "
        "l'acrotère.",
        [("height_annex", "max", 4), ("height_flat_roof", "max", 5)],
    ),
    (
        PARKING,
        "Habitat individuel : 3 places par logement. Habitat collectif : 2 places par logement.",
        [("parking", "min", 3), ("parking", "min", 2)],
    ),
    (BOUNDARY, "Il est interdit de bâtir à moins de 4 m de la limite séparative.", [("setback_side", "min", 4)]),
    (
        HEIGHT,
        "L'acrotère ne peut dépasser de plus d'un mètre la hauteur de l'égout, qui est de 6 m au plus.",
        [("height_eave", "max", 6)],
    ),
    (
        HEIGHT,
        "La hauteur est limitée à 5 m à l'égout et à 8 m au total.",
        [("height_eave", "max", 5), ("height_ridge", "max", 8)],
    ),
    (PARKING, "Bureaux : une place par fraction, même entamée, de 45 m².", [("parking", "min", 1)]),
    # figures for a place, a work or an operation
    (
        ROAD,
        "Le recul est de 4 m au moins. Ce recul est porté à 6 m au droit des portes de garage.",
        [("setback_road", "min", 4)],
    ),
    (ROAD, "Un retrait de 9 m est imposé au droit des carrefours.", []),
    (ROAD, "Le recul est d'au moins 3 m dans les opérations de logements groupés.", []),
    (GREEN, "Les lotissements comportent 12 % d'espaces verts communs.", []),
    (PARKING, "Une place par logement au moins est aménagée à l'air libre.", []),
    # conditions that are read
    (
        BETWEEN,
        "La distance est de 4 m au moins, portée à 7 m en vis-à-vis d'une baie.",
        [("between_buildings", "min", 4), ("between_buildings", "min", 7)],
    ),
    (
        BOUNDARY,
        "La marge est de 3 m au moins si la façade est sans baie. Dans le cas contraire, elle est de 5 m au moins.",
        [("setback_side", "min", 3), ("setback_side", "min", 5)],
    ),
    (PARKING, "Commerces de moins de 90 m² : pas d'obligation.", [("parking", "none", 0)]),
    (
        PARKING,
        "Commerces : 0 place jusqu'à 90 m² de surface de vente, puis 1 place / 30 m².",
        [("parking", "none", 0), ("parking", "min", 1)],
    ),
    (PARKING, "Il n'est pas exigé de place pour les bureaux.", [("parking", "none", 0)]),
    (PARKING, "1 place par tranche de 50 m² de surface de plancher.", []),
    (
        PARKING,
        "Bureaux : 1 emplacement pour 45 m²\nHôtels : 1 emplacement pour 2 chambres",
        [("parking", "min", 1), ("parking", "min", 1)],
    ),
    (BETWEEN, "Les bâtiments sont distants de 6 mètres ou plus.", [("between_buildings", "min", 6)]),
    (ROAD, "Le long de la RD 9, la construction s'écarte de 18 m de l'axe.", [("setback_road", "min", 18)]),
    (
        BOUNDARY,
        "La contiguïté avec une limite latérale est permise pourvu que le mur ne dépasse pas 8 m de longueur.",
        [],
    ),
    (BOUNDARY, "Implantation sur une limite latérale au maximum.", [("setback_side", "on_limit_allowed", 0)]),
    (BOUNDARY, "Sur la limite, leur hauteur est au plus de 4 m.", []),
    (
        BOUNDARY,
        "La distance est au moins égale à la moitié de la hauteur (L ≥ H/2 ; L min = 4 m), et d'au moins 4 m.",
        [("setback_side", "min", 4)],
    ),
    (HEIGHT, "Les constructions ne comportent qu'un rez-de-chaussée.", [("storeys", "max", 1)]),
    (HEIGHT, "Le nombre d'étages ne dépasse pas un.", [("storeys", "max", 2)]),
    (
        HEIGHT,
        "Hf : hauteur de façade ; Ht : hauteur totale\nHf ≤ 6 m et Ht ≤ 9 m, RdC+C",
        [("height_eave", "max", 6), ("height_ridge", "max", 9), ("storeys", "max", 1)],
    ),
    (GREEN, "Chaque lot garde 25 % de sa surface en espace perméable, non construit.", [("green_ratio", "min", 25)]),
    (
        HEIGHT,
        "Hauteur de façade : 6 m. La différence de hauteur d'égout entre constructions ne peut excéder 1,50 m.",
        [("height_eave", "max", 6)],
    ),
    (HEIGHT, "Hauteur façade 7 m.", [("height_eave", "max", 7)]),
    (PARKING, "Bureaux : 1 place / 70 m² de surface de plancher maximum.", [("parking", "max", 1)]),
    (
        PARKING,
        "Commerce < 150 m² : néant\nCommerce ≥ 150 m² : 1 place / 40 m²",
        [("parking", "none", 0), ("parking", "min", 1)],
    ),
    (GREEN, "25 % du terrain est traité en pleine terre ; 45 % en UBa.", [("full_ground_ratio", "min", 25)]),
    (ROAD, "Recul : 0 à 5 m.", [("setback_road", "on_limit_allowed", 0), ("setback_road", "max", 5)]),
    (BOUNDARY, "Continuité d'une limite latérale à l'autre.", [("setback_side", "on_limit_required", 0)]),
    (
        BOUNDARY,
        "À défaut d'être en limite, la construction s'en écarte de 4 m.",
        [("setback_side", "min", 4)],
    ),
    (
        BETWEEN,
        "La distance est au minimum de 9 m en vis-à-vis de baies et de 5 m sinon.",
        [("between_buildings", "min", 9), ("between_buildings", "min", 5)],
    ),
    (BOUNDARY, "En limite de fond, l'implantation est interdite.", [("setback_rear", "on_limit_forbidden", None)]),
    (
        "Article UB 3 – Volumes",
        "UB : 6 m à l'égout et 9 m au faîtage.",
        [("height_eave", "max", 6), ("height_ridge", "max", 9)],
    ),
    (BOUNDARY, "Les constructions de plus de 12 mètres de longueur respectent un retrait de 6 mètres.", []),
    (HEIGHT, "Le nombre de niveaux est limité à deux en UBa et à trois ailleurs.", [("storeys", "max", 3)]),
    (ROAD, "Le recul est de 5 m au moins dans les rues de plus de 8 m de large.", []),
    (ROAD, "Un recul de 3 m est exigé côté nord.", []),
    (ROAD, "Un recul d'au moins 6 m est exigé sur la place du Marché.", []),
    (HEIGHT, "La hauteur est limitée à 12 m au faîtage à l'angle des rues.", []),
    (HEIGHT, "La hauteur est limitée à 9 m au faîtage en zone inondable.", []),
    (HEIGHT, "La hauteur est limitée à 7 m au faîtage sur les terrains situés en contrebas de la voie.", []),
    (FOOTPRINT, "L'emprise au sol est limitée à 50 % dans le cadre d'une opération d'ensemble.", []),
    (BOUNDARY, "Le retrait est de 6 m au moins du côté des jardins.", []),
    (PARKING, "Dans un rayon de 500 m autour de la gare, 1 place par logement.", []),
    (GREEN, "Les parkings comportent 10 % d'espaces verts.", []),
    (BETWEEN, "Une distance de 4 m au moins est laissée pour les pompiers.", []),
    # rules of what is no building
    (ROAD, "Les haies sont plantées à 0,50 m de l'alignement.", []),
    (ROAD, "Les étages sont en retrait de 2 m au moins.", []),
    (ROAD, "Face au cimetière, les constructions sont à 10 m au moins de l'alignement.", []),
    (BOUNDARY, "Toute ruche est à 20 m au moins des limites.", []),
    (BOUNDARY, "Les pompes à chaleur sont à 3 m au moins de la limite.", []),
    (HEIGHT, "Les soubassements ne dépassent pas 0,60 m.", []),
    (HEIGHT, "Dans le cône de vue, la hauteur est limitée à 5 m.", []),
    (FOOTPRINT, "Un bonus de 10 % est accordé aux constructions passives.", []),
    (GREEN, "Les clôtures sont végétalisées à 50 %.", []),
    (
        ROAD,
        "Voie principale : 6 m minimum de l'alignement. Autres voies : alignement ou 2 m minimum.",
        [("setback_road", "min", 6), ("setback_road", "on_limit_allowed", 0), ("setback_road", "min", 2)],
    ),
    (BOUNDARY, "Sur un même lot : 4 m entre bâtiments.", [("between_buildings", "min", 4)]),
    (PARKING, "Deux places par logement et une place commune pour 3 logements.", [("parking", "min", 2)]),
    (
        "Article UB 3.1 – Les accès ont au moins 4 mètres de largeur, mesurés entre les murs qui les bordent.",
        "Les rampes sont adoucies.",
        [("access_width", "min", 4)],
    ),
    (
        FOOTPRINT,
        "L'emprise au sol est limitée à 30 %. Elle peut atteindre 55 % pour les commerces.",
        [("footprint_ratio", "max", 30), ("footprint_ratio", "max", 55)],
    ),
    (FOOTPRINT, "Elle peut atteindre 55 % pour les équipements publics.", []),
    (HEIGHT, "Le nombre de niveaux est limité à trois (R+2 ou R+1+combles).", [("storeys", "max", 3)]),
    (
        GREEN,
        "Dans les lotissements et les groupes d'habitations de plus de huit lots, 15 % sont en espaces libres communs, "
        "dont la moitié d'un seul tenant.",
        [("open_space_ratio", "min", 15)],
    ),
    (
        GREEN,
        "Les espaces non bâtis et non affectés au stationnement sont végétalisés sur 70 % au moins de leur surface.",
        [("green_ratio", "min", 70)],
    ),
    (GREEN, "Surfaces perméables, pleine terre comprise : 45 % au moins.", [("green_ratio", "min", 45)]),
    (PARKING, "Logement de 45 m² de surface de plancher au plus : 1 place.", [("parking", "min", 1)]),
    (PARKING, "Dans les groupes d'habitations, il est créé en outre une place de visiteur pour six logements.", []),
    (
        PARKING,
        "Habitation ............ 1 place par tranche de 70 m²\nBureaux ............ 2 places pour 90 m²",
        [("parking", "min", 1), ("parking", "min", 2)],
    ),
    (BOUNDARY, "Ne sont pas considérées comme des vues les ouvertures situées à plus de 2 mètres du plancher.", []),
    (
        BOUNDARY,
        "Les constructions principales sont édifiées dans une bande de 22 m de profondeur à partir de l'alignement.",
        [("depth_band", "max", 22)],
    ),
    (
        BOUNDARY,
        "Une construction peut être en limite à condition que sa hauteur n'excède pas 3 m. A défaut, elle respecte un "
        "retrait de 7 m.",
        [("setback_side", "min", 7)],
    ),
    (
        BOUNDARY,
        "Le retrait minimal est de :\n- 2 m en limite latérale ;\n- 7 m en fond de parcelle.",
        [("setback_side", "min", 2), ("setback_rear", "min", 7)],
    ),
    (ROAD, "Pour les constructions nouvelles, le recul est de 7 m au moins.", [("setback_road", "min", 7)]),
    (
        HEIGHT,
        "L'acrotère des toitures-terrasses n'excède pas 6 m, et la hauteur totale des autres constructions 11 m.",
        [("height_flat_roof", "max", 6), ("height_ridge", "max", 11)],
    ),
    (
        PARKING,
        "Il est exigé :\n- 1 place par tranche de 70 m², sans dépasser 4 places par logement ;\n"
        "- 1 place pour 35 m² de bureaux.",
        [("parking", "min", 1), ("parking", "max", 4), ("parking", "min", 1)],
    ),
    (
        GREEN,
        "Sur les terrains de plus de 700 m², 45 % au moins sont en pleine terre ; sur les autres, 15 %.",
        [("full_ground_ratio", "min", 45), ("full_ground_ratio", "min", 15)],
    ),
    (
        GREEN,
        "Les espaces libres de toute construction couvrent 45 % du terrain, et sont plantés pour moitié.",
        [("open_space_ratio", "min", 45)],
    ),
    (ROAD, "6.2 - Le long des autres voies :\nLe recul est d'au moins 4 m.", [("setback_road", "min", 4)]),
    (
        BOUNDARY,
        "Les bâtiments ne peuvent être implantés que sur une seule des limites latérales.",
        [("setback_side", "on_limit_allowed", 0)],
    ),
    (BOUNDARY, "Le bâtiment est à 7 m ou plus de la limite.", [("setback_side", "min", 7)]),
    (
        BOUNDARY,
        "La marge est de 3 m au moins ; elle est portée à 7 m lorsque le mur qui fait face à la limite a une baie.",
        [("setback_side", "min", 3), ("setback_side", "min", 7)],
    ),
    (
        FOOTPRINT,
        "La somme des emprises bâties ne dépasse pas trois dixièmes du terrain.",
        [("footprint_ratio", "max", 30)],
    ),
    (
        HEIGHT,
        "La hauteur est de 8 m à l'acrotère pour les toits plats, et de 13 m au faîtage.",
        [("height_flat_roof", "max", 8), ("height_ridge", "max", 13)],
    ),
    (HEIGHT, "Le nombre de niveaux est limité à R+2 ou R+C.", [("storeys", "max", 3)]),
    (HEIGHT, "Le nombre de niveaux est limité à R+1 ou R+2 selon les rues.", []),
    (
        HEIGHT,
        "Dans la bande principale :\n9 m à l'égout.\nDans la bande secondaire :\n4 m à l'égout.",
        [("height_eave", "max", 9), ("height_eave", "max", 4)],
    ),
    (
        PARKING,
        "Pour l'habitation, une place par logement lorsque celui-ci ne dépasse pas 80 m² et deux places "
        "lorsqu'il les dépasse.",
        [("parking", "min", 1), ("parking", "min", 2)],
    ),
    (
        PARKING,
        "Pour l'habitation, une place lorsque la surface du logement n'excède pas 45 m².",
        [("parking", "min", 1)],
    ),
    (
        GREEN,
        "Les propriétés conservent, sur 65 % de leur superficie, un espace libre de tout stationnement.",
        [("open_space_ratio", "min", 65)],
    ),
    (GREEN, "Outre la pleine terre, un coefficient de biotope de 0,4 est exigé.", [("green_ratio", "min", 0.4)]),
    (
        ACCESS,
        "Tout terrain doit disposer d'un accès à une voie publique, d'une largeur d'au moins 4,50 m.",
        [("access_width", "min", 4.5)],
    ),
    (
        HEIGHT,
        "La hauteur est limitée à 8 m au faîtage, soit R+C ou R+2.",
        [("height_ridge", "max", 8), ("storeys", "max", 3)],
    ),
    (
        "Article UB 11 : Aspect extérieur",
        "La règle n'est pas obligatoire pour les constructions de plusieurs niveaux (R+2) dont la pente est de 35°.",
        [],
    ),
    (
        "2.d  Espaces communs. Toute opération comporte des espaces verts communs sur 35 % du terrain.",
        "",
        [("open_space_ratio", "min", 35)],
    ),
    (
        ROAD,
        "Le recul est de 4 m au moins sur les voies internes et de 9 m au moins sur le chemin du Lac.",
        [("setback_road", "min", 4), ("setback_road", "min", 9)],
    ),
    (
        ROAD,
        "Les habitations ont un recul de 4 m au moins. Elles sont comprises en totalité dans une bande de 35 m comptée "
        "à partir de l'alignement.",
        [("setback_road", "min", 4), ("depth_band", "max", 35)],
    ),
    (
        ROAD,
        "Les habitations se placent à 4 m de l'alignement des voies publiques et à 3 m de la limite des voies privées.",
        [("setback_road", "min", 4), ("setback_road", "min", 3)],
    ),
    (
        BOUNDARY,
        "Les maisons ne peuvent être édifiées en limite que si leur hauteur sur cette limite est d'au plus 3 m.",
        [("setback_side", "on_limit_allowed", 0)],
    ),
    (
        BOUNDARY,
        "Les maisons sont bâties de limite latérale à limite latérale.",
        [("setback_side", "on_limit_required", 0)],
    ),
    (BOUNDARY, "À défaut de jouxter la limite, elles s'en écartent de 3 m au moins.", [("setback_side", "min", 3)]),
    (
        BETWEEN,
        "Aucune habitation ne peut être édifiée à plus de 45 mètres de la façade sur rue des immeubles voisins.",
        [],
    ),
    (
        BETWEEN,
        "L'écart de deux bâtiments est d'au moins 9 m si un mur a une baie et d'au moins 5 m dans le cas contraire.",
        [("between_buildings", "min", 9), ("between_buildings", "min", 5)],
    ),
    (
        "Article 2 : Portée au regard des autres législations",
        "Elle impose un recul de 75 m de l'axe des voies rapides.",
        [],
    ),
    (
        FOOTPRINT,
        "L'emprise des constructions, terrasses non comprises, ne peut excéder 35 % du terrain.",
        [("footprint_ratio", "max", 35)],
    ),
    (
        HEIGHT,
        "Les constructions ne comportent pas plus d'un étage, soit un rez-de-chaussée, un étage et des combles.",
        [("storeys", "max", 2)],
    ),
    (
        HEIGHT,
        "La hauteur est mesurée à l'égout, en tout point des façades. Elle ne dépasse pas 7 m.",
        [("height_eave", "max", 7)],
    ),
    (
        HEIGHT,
        "Lorsque la construction est couverte en terrasse, elle n'excède pas 6 m à l'acrotère.",
        [("height_flat_roof", "max", 6)],
    ),
    (
        GREEN,
        "Les espaces libres, y compris les aires de stationnement, couvrent au moins 55 % de l'unité foncière.",
        [("open_space_ratio", "min", 55)],
    ),
    (
        ACCESS,
        "Les voies ont une largeur d'au moins 5 m lorsqu'elles desservent au plus 6 logements, et de 7 m au-delà.",
        [("road_width", "min", 5), ("road_width", "min", 7)],
    ),
    (ACCESS, "Les voies nouvelles ont une emprise de 9 m au moins, dont 6 m de chaussée.", [("road_width", "min", 9)]),
    (
        HEIGHT,
        "La hauteur se mesure à l'égout ou, en terrasse, au sommet de l'acrotère. La hauteur maximale est de 6 m.",
        [("height_eave", "max", 6)],
    ),
)
