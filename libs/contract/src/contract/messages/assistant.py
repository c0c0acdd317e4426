"""The JSON of the assistant's answers."""

from contract.messages import land
from contract.messages.schemas import Composed
from contract.messages.shape import Group, Layout, Shapes
from landpartner.assistant.v1 import assistant_pb2 as pb

_PROMPT_FIELDS = [field.name for field in pb.Prompt.DESCRIPTOR.fields]
_WAY_FIELDS = [field.name for field in pb.SharedWay.DESCRIPTOR.fields if field.name != "geometry"]
_LOT_FIELDS = [field.name for field in pb.Lot.DESCRIPTOR.fields if field.name not in ("id", "geometry")]

LAYOUTS = {
    **land.LAYOUTS,
    pb.PromptEvent: Layout(name="Prompt", members={name: f"prompt.{name}" for name in _PROMPT_FIELDS}),
    pb.Prompt: Layout(null_if_empty=("model",)),
    pb.AssistantPolicy: Layout(name="PromptPolicy"),
    pb.QuickAssessment: Layout(
        nullable=("procedure",), keyed={"assumptions": "name"}, beside={"assumptions": ("project", "wishes")}
    ),
    pb.Proposal: Layout(
        members={"lots": Group("Lots", {"features": "lots"}, constants={"type": "FeatureCollection"})},
        nullable=("shared_way",),
    ),
    pb.SharedWay: Layout(
        constants={"type": "Feature"},
        members={"properties": Group("SharedWayProperties", {name: name for name in _WAY_FIELDS})},
    ),
    pb.LotSide: Layout(omitted=("geometry",)),  # the outline of the lot has it
    pb.Lot: Layout(
        constants={"type": "Feature"},
        members={"properties": Group("LotProperties", {name: name for name in _LOT_FIELDS})},
    ),
    pb.Wish: Layout(null_if_empty=("field", "words", "meaning", "reason")),
    pb.Answer: Layout(constants={"format": "markdown"}),
}
SHAPES = Shapes(LAYOUTS)
PROMPT = SHAPES[pb.PromptEvent]
QUICK_ASSESSMENT = SHAPES[pb.QuickAssessment]
ANSWER = SHAPES[pb.Answer]
DIVISION = Composed(
    "DivideLandResponse",
    {"prompt": PROMPT, "quick_assessment": QUICK_ASSESSMENT, "context": land.FEATURE_COLLECTION, "answer": ANSWER},
)
