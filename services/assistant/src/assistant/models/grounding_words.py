"""Words of a model's sentence that need no fact, and those that change what a sentence states.

Lower case, without accents. No word here names a thing, a quantity or a judgement, apart from the land itself.
"""

from servicekit.languages import Language


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


CONNECTING: dict[Language, frozenset[str]] = {
    "fr": _set(
        """
        a afin ai ainsi alors apres au aussi autre autres aux avec car ce ceci cela celle celles celui ces cet cette
        ceux chaque ci comme d dans de depuis des donc dont du elle elles en encore enfin ensuite entre
        est et etant ete etre eux fait il ils j l la le les leur leurs lors lorsque lui mais me meme memes mes mon n
        notre nous on ont or ou par parmi pour puis qu quant que quel quelle quels qui s sa se selon ses soit son
        sont sous sur ta te tel telle tels ton tu un une vers voici voir vos votre vous y concerne concernant
        correspond constate comporte comprend compte dispose indique montre porte precise presente ressort reste
        signale situe situee trouve trouvent releve relevent relevee relevees figure figurent actuellement egalement
        notamment outre cependant toutefois apres avant ailleurs aupres environs ici terrain parcelle parcelles
        unite fonciere lot lots division projet etude donnees point points article articles
        """
    ),
    "en": _set(
        """
        a about after also although an and any are as at be because been before being between but by each et for
        from had has have he her here his how however i if in into is it its itself more most my of on one or other
        others our out over own s same she so some such than that the their them then there therefore these they
        this those through thus to too toward towards under up was we were what when where whether which while who
        whom whose with within you your according concerns describes found gives lies located mentions moreover
        namely notes shows stands states tells further finally first next also land parcel parcels plot plots lot
        lots unit division project study data point points article articles
        """
    ),
}
"""Ordinary words. `un`, `une`, `one` and `a` are articles here; all other numbers need a fact."""

NEGATIONS: dict[Language, frozenset[str]] = {
    "fr": _set("ne n pas aucun aucune sans jamais ni non nul nulle rien plus"),
    "en": _set("no not nor never none nothing neither without cannot"),
}
"""A clause has one of these exactly if the clause of the fact has one. `plus` counts only after `ne`."""

HEDGES: dict[Language, frozenset[str]] = {
    "fr": _set(
        """
        verifier confirmer apprecier reste restent peut peuvent pourrait pourraient parait semble estime estimee
        estimes estimees suppose sauf si principe indicatif indicative indicatives hypotheses hypothese reserve
        moyenne environ
        """
    ),
    "en": _set(
        """
        checked confirmed remain remains may might could can seems looks estimated assumes unless except if
        principle indicative assumptions assumption subject average about
        """
    ),
}
"""A clause that uses a fact with one of these has one too: what is uncertain does not become certain."""
