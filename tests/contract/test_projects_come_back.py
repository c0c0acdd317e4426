"""What the assistant understood of a project is a valid project of a request."""

import re

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.reading.project import read
from assistant.rpc.messages import project_fields, told_in_fields
from contract.messages.assistant import SHAPES
from edge.api.v1.projects import ProjectBody, project_message
from landpartner.assistant.v1 import assistant_pb2 as pb

WORDS = re.findall(
    r"\S+",
    """
    0 1 2 3 12 999 5000 50% 1/2 1/99 un deux trois lots lot de 400 m² à 600 600m2 ha hectare ares garder la maison avec
    le reste pour mon fils au fond voie commune 5 m recul emprise hauteur verger puits maire a dit chacun moitié voisin
    vendre détacher diviser en R+1 logements étages démolir et , . ; non pardon égaux au moins maxi tab bâtir
    """,
)


@settings(max_examples=400, derandomize=True, deadline=None)
@given(words=st.lists(st.sampled_from(WORDS), max_size=120))
def test_what_was_understood_can_be_sent_again(words: list[str]) -> None:
    project = read(" ".join(words)).project
    document = orjson.loads(orjson.dumps(SHAPES[pb.Project].write(project_fields(project))))
    again = told_in_fields(project_message(ProjectBody.model_validate(document)))
    assert again == {name: value for name, value in vars(project).items() if value not in (None, ())}
