"""Public easements (servitudes d'utilité publique, SUP) of the Géoportail de l'urbanisme."""

from typing import NamedTuple

SERVITUDES, LINKS, ACTS = "servitudes", "links", "acts"
"""The parts of a document's tables without geometry."""


class EasementRecord(NamedTuple):
    """The land that bears an easement (assiette)."""

    document: str
    """The publisher's partition, such as 172014607_SUP_75_AC1; without the manager's SIREN if no file states it."""
    category: str
    """The official code, such as AC1 or PM1bis."""
    easement_id: str
    """IDASS. Unique in its document, if the publisher keeps to the standard."""
    generator_id: str | None
    """IDGEN."""
    name: str | None
    """NOMSUPLITT: the name for readers."""
    technical_name: str
    """NOMASS."""
    type: str | None
    """TYPEASS."""
    act_file: str | None
    """FICHIER: the file of the act, by which the live service joins it."""
    act_url: str | None
    geometry_kind: str
    """surface, line or point."""
    is_repaired: bool
    geometry: bytes


class EasementDetailRecord(NamedTuple):
    """One row of the tables around an easement: its cause, its names and its acts."""

    document: str
    kind: str
    """generator, servitude, link (of a servitude to an act), act, or file (an act by its file)."""
    key: str
    """IDGEN, IDSUP, IDSUP, IDACTE, or FICHIER."""
    refers_to: str | None
    """The IDSUP of a generator, the IDACTE of a link."""
    name: str | None
    type: str | None
    decided_on: str | None


class EasementDocumentRecord(NamedTuple):
    """One document of easements that is published for land of a département."""

    department: str
    document: str
    category: str
    territory: str
    """The département, its region (R84) or a commune."""
