"""What lists say of the old quarter's commune: two rates of the development tax, mountain in part, a plan under way."""

from demoland import quarter
from demoland.model import DEPARTMENT

_CODE = quarter.COMMUNE.code
LISTS = {
    "taxe-amenagement": (
        "taxe-amenagement-00.csv",
        ";",
        ("code_insee", "annee", "taux_communal", "taux_departemental"),
        ((_CODE, "2026", "3", "2,3"), (_CODE, "2026", "5", "2,3")),
    ),
    "loi-montagne": ("loi-montagne-00.csv", ";", ("insee_com", "classement"), ((_CODE, "P"),)),
    "loi-littoral": ("loi-littoral-00.csv", ";", ("insee_com", "classement"), ((f"{DEPARTMENT}998", "T"),)),
    "docurba": (
        "docurba-00.csv",
        ",",
        ("code_insee", "plan_etat_code1", "plan_libelle_etat_code1", "plan_etat_code2", "plan_libelle_etat_code2"),
        ((_CODE, "3", "PLU approuvé", "3", "PLU en révision"),),
    ),
}
"""Each dataset has a file with its delimiter, columns and rows."""
