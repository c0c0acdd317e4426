"""Converts assessment, proposals and answer to messages of the contract, in the language of the call."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from google.protobuf.message import Message
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from assistant.answering import NOTICES, Answer
from assistant.assessment.result import Check
from assistant.changes import Change
from assistant.division.proposal import Division, Lot, Proposal, SharedWay
from assistant.division.wording import proposal_summary
from assistant.geojson import Projection, to_geojson
from assistant.models.base import Brief
from assistant.project import KeepOut, Owner, Project, ToldFact, WishedLot
from assistant.questions.answers import Replies
from landpartner.assistant.v1 import assistant_pb2 as pb
from landpartner.land.v1 import land_pb2
from servicekit.languages import Text
from servicekit.parts import attempted
from servicekit.rpc_messages import filled

_PROPOSAL = Text("l’un des découpages", "one of the divisions")
_CHANGE = Text("un changement qui lèverait un obstacle", "a change that would lift an obstacle")

Outlines = Callable[[Sequence[BaseGeometry]], list[bytes]]
"""Writes shapes in metres as GeoJSON."""


def quick_assessment(brief: Brief, projection: Projection) -> pb.QuickAssessment:
    assessment, write = brief.assessment, partial(to_geojson, projection=projection)
    return pb.QuickAssessment(
        verdict=pb.Verdict.Value(f"VERDICT_{assessment.verdict.name}"),
        confidence=assessment.confidence,
        procedure=filled(pb.Procedure, assessment.procedure, label=str(assessment.procedure.label)),
        summary=str(assessment.summary),
        checks=[_check(check) for check in assessment.checks],
        proposals=proposals(brief.division, write),
        assumptions=[
            pb.Assumption(name=a.name, value=a.value, unit=a.unit, detail=str(a.detail)) for a in brief.assumptions
        ],
        disclaimer=str(assessment.disclaimer),
        rules_version=assessment.rules_version,
        changes=attempted(_CHANGE, partial(_change, write=write), brief.changes),
        project=project_fields(brief.project),
        wishes=[
            filled(
                pb.Wish,
                wish,
                meaning=str(wish.meaning),
                reason=str(wish.reason),
                status=f"WISH_STATUS_{wish.status.upper()}",
            )
            for wish in brief.wishes
        ],
    )


def project_fields(project: Project) -> pb.Project:
    """The project as the members of a request."""
    return filled(
        pb.Project,
        project,
        lots=[
            filled(
                pb.WishedLot,
                lot,
                use=lot.use and f"LOT_USE_{lot.use.upper()}",
                position=lot.position and f"LOT_POSITION_{lot.position.upper()}",
            )
            for lot in project.lots
        ],
        keep_outs=[filled(pb.KeepOut, keep_out) for keep_out in project.keep_outs],
        owners=[filled(pb.ProjectOwner, owner) for owner in project.owners],
        facts=[filled(pb.ToldFact, fact, kind=f"TOLD_FACT_KIND_{fact.kind.upper()}") for fact in project.facts],
    )


def told_in_fields(message: pb.Project) -> dict[str, Any]:
    """The members that the request gives, as those of a Project."""
    members = _values(message)
    for name, domain in (("lots", WishedLot), ("keep_outs", KeepOut), ("owners", Owner), ("facts", ToldFact)):
        if name in members:
            members[name] = tuple(domain(**_values(element)) for element in members[name])
    return members


def _values(message: Message) -> dict[str, Any]:
    """The fields of a message that are set."""
    values: dict[str, Any] = {}
    for field, value in message.ListFields():
        if field.enum_type is not None:
            prefix = len(field.enum_type.values_by_number[0].name) - len("UNSPECIFIED")
            values[field.name] = field.enum_type.values_by_number[value].name[prefix:].lower()
        else:
            values[field.name] = tuple(value) if field.is_repeated else value
    return values


def proposals(division: Division, write: Outlines) -> list[pb.Proposal]:
    return attempted(_PROPOSAL, partial(_proposal, write=write), division.proposals)


def answer_message(answer: Answer, replies: Replies) -> pb.Answer:
    return pb.Answer(
        text=answer.text,
        grounded_on=answer.grounded_on,
        answered=[
            pb.AnsweredQuestion(
                intent=reply.question.intent,
                question=reply.question.text,
                grounded_on=reply.codes or answer.grounded_on,
            )
            for reply in replies.answered
        ],
        unanswered=[
            pb.UnansweredQuestion(
                intent=reply.question.intent,
                question=reply.question.text,
                reason=str(reply.gap.reason),
                ask=str(reply.gap.ask),
            )
            for reply in replies.unanswered
        ],
    )


def warning(code: str, **values: object) -> land_pb2.Warning:
    return land_pb2.Warning(code=code, detail=str(NOTICES[code].format(**values)), block="assistant")


def _check(check: Check) -> pb.Check:
    message = pb.Check(
        code=check.code,
        status=pb.CheckStatus.Value(f"CHECK_STATUS_{check.status.name}"),
        detail=str(check.detail),
        threshold=check.threshold,
        unit=check.unit,
        legal_refs=check.legal_refs,
        settled_by=[str(document) for document in check.settled_by],
    )
    match check.value:
        case bool(value):
            message.bool_value = value
        case str(value):
            message.text_value = value
        case float(value):
            message.number_value = value
    return message


def _proposal(proposal: Proposal, write: Outlines) -> pb.Proposal:
    way = proposal.shared_way
    shapes = [shape for lot in proposal.lots for shape in _shapes_of(lot)] + ([] if way is None else [way.shape])
    outlines = iter(write(shapes))  # all in one call, which is faster
    return pb.Proposal(
        rank=proposal.rank,
        method=proposal.method,
        summary=str(proposal_summary(proposal)),
        metrics=pb.ProposalMetrics(
            score=round(proposal.score, 3),
            smallest_lot_m2=round(proposal.smallest_lot_m2, 1),
            largest_lot_m2=round(proposal.largest_lot_m2, 1),
            area_ratio=round(proposal.largest_lot_m2 / proposal.smallest_lot_m2, 2),
            access_strip_m2=round(sum(lot.strip_m2 for lot in proposal.lots), 1),
            violation_count=proposal.violation_count,
            score_terms=[
                pb.ScoreTerm(name=term.name, value=round(term.value, 3), weight=term.weight, detail=str(term.detail))
                for term in proposal.terms
            ],
        ),
        lots=[_lot(lot, outlines) for lot in proposal.lots],
        shared_way=None if way is None else _shared_way(way, next(outlines)),
    )


def _change(change: Change, write: Outlines) -> pb.Change:
    return pb.Change(
        kind=change.kind,
        summary=str(change.summary),
        area_m2=round(change.area_m2, 1),
        turned_checks=change.turned_checks,
        verdict=pb.Verdict.Value(f"VERDICT_{change.verdict.name}"),
        proposal=_proposal(change.proposal, write),
        parcel_id=change.parcel_id or None,
        ground=b"" if change.ground is None else write([change.ground])[0],
        owners=[filled(pb.LegalPerson, owner) for owner in change.owners],
    )


def _shared_way(way: SharedWay, outline: bytes) -> pb.SharedWay:
    return pb.SharedWay(
        geometry=outline,
        area_m2=round(way.shape.area, 1),
        width_m=way.width_m,
        length_m=round(way.length_m, 1),
        turning=way.turning,
        turning_radius_m=way.turning_radius_m,
    )


def _shapes_of(lot: Lot) -> list[BaseGeometry]:
    return [lot.shape, lot.envelope, lot.right_of_way or Polygon(), *(side.line for side in lot.sides)]


def _lot(lot: Lot, outlines: Iterator[bytes]) -> pb.Lot:
    """The lot with the next outlines, which are those of its shapes."""
    outline, envelope, right = islice(outlines, 3)
    return pb.Lot(
        id=lot.id,
        geometry=outline,
        area_m2=round(lot.area_m2, 1),
        frontage_m=round(lot.frontage_m or 0.0, 2),
        access=lot.access,
        compactness=round(lot.compactness, 3),
        buildable_area_m2=round(lot.buildable_area_m2, 1),
        closed_area_m2=round(lot.closed_area_m2, 1),
        has_existing_building=lot.has_existing_building,
        violations=lot.violations,
        role=lot.role,
        largest_house_width_m=lot.largest_house_m and lot.largest_house_m[0],
        largest_house_depth_m=lot.largest_house_m and lot.largest_house_m[1],
        sides=[
            pb.LotSide(length_m=round(side.length_m, 2), kind=side.kind, geometry=next(outlines)) for side in lot.sides
        ],
        buildable_envelope=b"" if lot.envelope.is_empty else envelope,
        right_of_way=b"" if lot.right_of_way is None else right,
        mean_slope_percent=None if lot.mean_slope_percent is None else round(lot.mean_slope_percent, 1),
    )
