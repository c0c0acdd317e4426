"""The informations of the block `urbanism`, from records in the store to the answer."""

from land_builders import COMMUNE, PARTITION, land_unit, load, parcel, prescription, square, zone
from sqlalchemy import Engine

from land.rpc import messages


def test_informations_have_their_official_label_and_article(store: Engine) -> None:
    load(store, "cadastre-parcels", COMMUNE, [parcel(1, square(0, 0))])
    load(store, "gpu-zones", PARTITION, [zone("UB", square(-100, -100, 300, 300))])
    drawn = [
        prescription("Divisions contrôlées", square(-10, -10, 15, 40), "11"),
        prescription("DPU renforcé", square(-10, -10, 100, 40), "04", subtype_code="01"),
        prescription("Ancien code", square(-10, -10, 100, 40), "01"),
        prescription("Ailleurs", square(30, 30), "04"),
    ]
    load(store, "gpu-informations", PARTITION, drawn, part="surface")
    unit = land_unit(store, f"{COMMUNE}000AB0001", blocks=["urbanism"])
    found = messages.land_unit(unit).urbanism
    assert not found.prescriptions
    assert [
        (each.label, each.type_code, each.type_label, each.legal_reference, round(each.overlap_area_m2))
        for each in found.informations
    ] == [
        ("Ancien code", "01", "", "", 400),
        ("DPU renforcé", "04", "Périmètre de droit de préemption urbain renforcé", "L211-1 code de l'urbanisme", 400),
        (
            "Divisions contrôlées",
            "11",
            "Périmètre des zones délimitées - divisions foncières soumises à déclaration préalable",
            "L115-3 code de l'urbanisme",
            100,
        ),
    ]
    assert {warning.code for warning in unit.warnings} >= {"prescriptions_not_covered", "informations_partial"}
