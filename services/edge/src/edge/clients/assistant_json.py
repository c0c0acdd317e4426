"""Converts the assistant's messages to JSON (DESIGN §4)."""

from edge.clients.land_json import JsonObject, geometry
from landpartner.assistant.v1 import assistant_pb2

_VERDICTS = {
    assistant_pb2.VERDICT_FAVOURABLE: "favourable",
    assistant_pb2.VERDICT_CONDITIONAL: "conditional",
    assistant_pb2.VERDICT_UNFAVOURABLE: "unfavourable",
}
_STATUSES = {
    assistant_pb2.CHECK_STATUS_PASS: "pass",
    assistant_pb2.CHECK_STATUS_WARN: "warn",
    assistant_pb2.CHECK_STATUS_FAIL: "fail",
}
_MODES = {
    assistant_pb2.ASSISTANT_MODE_RULES: "rules",
    assistant_pb2.ASSISTANT_MODE_MODEL: "model",
}


def prompt_json(prompt: assistant_pb2.Prompt) -> JsonObject:
    policy = prompt.policy
    return {
        "id": prompt.id,
        "version": prompt.version,
        "question": prompt.question,
        "language": prompt.language,
        "provider": prompt.provider,
        "model": prompt.model or None,
        "generated_at": prompt.generated_at,
        "policy": {
            "mode": _MODES.get(policy.mode, "disabled"),
            "token_limit": policy.token_limit if policy.HasField("token_limit") else None,
        },
        "usage": {"input_tokens": prompt.usage.input_tokens, "output_tokens": prompt.usage.output_tokens},
    }


def quick_assessment_json(assessment: assistant_pb2.QuickAssessment) -> JsonObject:
    procedure = None
    if assessment.HasField("procedure"):
        procedure = {
            "code": assessment.procedure.code,
            "label": assessment.procedure.label,
            "legal_refs": list(assessment.procedure.legal_refs),
        }
    return {
        "verdict": _VERDICTS.get(assessment.verdict, "undetermined"),
        "confidence": assessment.confidence,
        "procedure": procedure,
        "summary": assessment.summary,
        "checks": [_check(check) for check in assessment.checks],
        "proposals": [_proposal(proposal) for proposal in assessment.proposals],
        "assumptions": {
            item.name: {"value": item.value, "unit": item.unit, "detail": item.detail}
            for item in assessment.assumptions
        },
        "disclaimer": assessment.disclaimer,
        "rules_version": assessment.rules_version,
    }


def answer_json(answer: assistant_pb2.Answer) -> JsonObject:
    return {"format": "markdown", "text": answer.text, "grounded_on": list(answer.grounded_on)}


def _check(check: assistant_pb2.Check) -> JsonObject:
    value = check.WhichOneof("value")
    return {
        "code": check.code,
        "status": _STATUSES.get(check.status, "unknown"),
        "detail": check.detail,
        "value": None if value is None else getattr(check, value),
        "threshold": check.threshold if check.HasField("threshold") else None,
        "unit": check.unit if check.HasField("unit") else None,
        "legal_refs": list(check.legal_refs),
    }


def _proposal(proposal: assistant_pb2.Proposal) -> JsonObject:
    metrics = proposal.metrics
    return {
        "rank": proposal.rank,
        "method": proposal.method,
        "summary": proposal.summary,
        "metrics": {
            "score": metrics.score,
            "smallest_lot_m2": metrics.smallest_lot_m2,
            "largest_lot_m2": metrics.largest_lot_m2,
            "area_ratio": metrics.area_ratio,
            "access_strip_m2": metrics.access_strip_m2,
            "violation_count": metrics.violation_count,
        },
        "lots": {"type": "FeatureCollection", "features": [_lot(lot) for lot in proposal.lots]},
    }


def _lot(lot: assistant_pb2.Lot) -> JsonObject:
    return {
        "type": "Feature",
        "id": lot.id,
        "geometry": geometry(lot.geometry),
        "properties": {
            "area_m2": lot.area_m2,
            "frontage_m": lot.frontage_m,
            "access": lot.access,
            "compactness": lot.compactness,
            "buildable_area_m2": lot.buildable_area_m2,
            "has_existing_building": lot.has_existing_building,
            "violations": list(lot.violations),
        },
    }
