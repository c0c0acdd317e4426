"""The dictionary describes every code and enum value that the services can answer, and no other.

Codes come from the tables and types of the services. If there is no table, they come from the calls in the source.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import get_args

import pytest
from google.protobuf.descriptor import EnumDescriptor

import edge.api.v1.assistant
import edge.clients.assistant
import keys.values.pricing
from assistant.answering import NOTICES
from assistant.assessment.assess import PROCEDURES
from assistant.assessment.land_unit import REASONS
from assistant.assessment.rules import RULES
from assistant.changes import ChangeKind
from assistant.division.proposal import Access, Method, Role, SideKind, Term, Turning, Violation
from assistant.division.wording import AssumptionName
from assistant.models.openai_chat import OpenAIChat
from assistant.models.rules import PROVIDER
from assistant.questions.answers import INTENTS
from assistant.questions.replies import FACTS
from contract.dictionary import dictionary
from contract.endpoints import WEIGHTS
from contract.problem_codes import PROBLEMS
from edge import body
from land import registry
from land.answers.texts import WARNINGS
from land.datasets.buildings import bdtopo
from land.datasets.joint_ownerships.records import ManagerType
from land.datasets.parcels.succession import ChangeKind as LineageKind
from land.datasets.permits import codes as sitadel_codes
from land.datasets.permits.registration import PERMITS
from land.datasets.planning import codes as gpu_codes
from land.datasets.regulations.reader import FILE_STATES
from land.datasets.risk_zones.records import Regulation
from land.datasets.risks.records import Grain, RiskStatus
from land.datasets.sales.market_rows import Kind
from land.regulation.reading import LAYOUT_UNKNOWN, WHY_EMPTY
from land.regulation.rule import KINDS
from land.units import regulation, risks
from land.units.bounds import BoundKind
from land.units.overlap import GEOMETRY_KINDS
from land.units.real_estate import Basis
from landpartner.assistant.v1 import assistant_pb2
from landpartner.keys.v1 import admin_pb2, keys_pb2
from landpartner.land.v1 import land_pb2
from landpartner.webhooks.v1 import webhooks_pb2

SERVICES = Path(__file__).parents[2] / "services"
ENUMS = {
    "address_type": land_pb2.AddressType.DESCRIPTOR,
    "match": land_pb2.ParcelMatchKind.DESCRIPTOR,
    "block": land_pb2.Block.DESCRIPTOR,
    "coverage": land_pb2.CoverageStatus.DESCRIPTOR,
    "event_kind": land_pb2.FactKind.DESCRIPTOR,
    "webhook_state": webhooks_pb2.WebhookState.DESCRIPTOR,
    "event_change": land_pb2.FactChange.DESCRIPTOR,
    "verdict": assistant_pb2.Verdict.DESCRIPTOR,
    "wish_status": assistant_pb2.WishStatus.DESCRIPTOR,
    "lot_use": assistant_pb2.LotUse.DESCRIPTOR,
    "lot_position": assistant_pb2.LotPosition.DESCRIPTOR,
    "told_fact_kind": assistant_pb2.ToldFactKind.DESCRIPTOR,
    "check_status": assistant_pb2.CheckStatus.DESCRIPTOR,
    "assistant_mode": keys_pb2.AssistantMode.DESCRIPTOR,
    "key_event_kind": keys_pb2.KeyEventKind.DESCRIPTOR,
    "key_mode": keys_pb2.KeyMode.DESCRIPTOR,
    "key_status": admin_pb2.KeyStatus.DESCRIPTOR,
    "partner_status": admin_pb2.PartnerStatus.DESCRIPTOR,
    "bill_kind": admin_pb2.BillKind.DESCRIPTOR,
    "charged_per": admin_pb2.ChargedPer.DESCRIPTOR,
    "admin_role": admin_pb2.AdminRole.DESCRIPTOR,
    "feature_collection": land_pb2.FeatureCollection.DESCRIPTOR,
    "usage_bucket": admin_pb2.UsageBucket.DESCRIPTOR,
}
INTERNAL_ENUMS = {land_pb2.Scope.DESCRIPTOR, land_pb2.TileLayer.DESCRIPTOR, keys_pb2.AssistantUse.DESCRIPTOR}
"""No answer has their values."""


def enum_values(enum: EnumDescriptor) -> set[str]:
    """The values as JSON has them: COVERAGE_STATUS_COVERED is covered."""
    prefix = enum.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return {value.name.removeprefix(prefix).lower() for value in enum.values if value.number}


def calls(tree: ast.AST, name: str) -> Iterator[ast.Call]:
    """Calls of the function or class, also as an attribute of a module or an object."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            if name == (function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")):
                yield node


def source_of(module: object) -> ast.Module:
    return ast.parse(Path(str(getattr(module, "__file__"))).read_text("utf-8"))  # noqa: B009 (not typed)


def texts(nodes: Iterable[ast.expr]) -> set[str]:
    """The values of string literals. Fails for any other expression."""
    codes = set()
    for node in nodes:
        assert isinstance(node, ast.Constant), f"line {node.lineno}: not a literal, so the dictionary cannot be checked"
        codes.add(str(node.value))
    return codes


def violation_codes(service: Path) -> set[str]:
    """The codes of errors[] in the calls of Violation. A code that is a parameter is looked up in the callers. Keys
    creates violations of faults: `Violation(pointer, *fault)`.
    """
    trees = [ast.parse(path.read_text("utf-8")) for path in sorted(service.glob("src/**/*.py"))]
    codes: list[ast.expr] = []
    for tree in trees:
        arguments = {call.args[1] for call in calls(tree, "Violation") if not isinstance(call.args[1], ast.Starred)}
        arguments |= {call.args[0] for call in calls(tree, "Fault")}
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                parameters = [parameter.arg for parameter in function.args.args]
                for code in arguments.intersection(call.args[1] for call in calls(function, "Violation")):
                    if (service.name, function.name) == ("edge", body.fault.__name__):
                        arguments.remove(code)  # its codes are the keys of VIOLATION_TEXTS
                    elif isinstance(code, ast.Name) and code.id in parameters:
                        arguments.remove(code)
                        place = parameters.index(code.id)
                        codes += [call.args[place] for other in trees for call in calls(other, function.name)]
        codes += arguments
    return texts(codes)


def errors() -> set[str]:
    texts = {*body.VIOLATION_TEXTS}
    assert {*body._CODES.values()} < texts
    return texts.union(*(violation_codes(service) for service in sorted(SERVICES.iterdir()) if service.is_dir()))


def warnings() -> set[str]:
    """Land creates warnings by the function `warning` only. The codes of some begin with the name of a list."""
    used: set[str] = set()
    for path in (SERVICES / "land").glob("src/**/*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        if path != SERVICES / "land/src/land/answers/texts.py":
            assert not [*calls(tree, "AnswerWarning")], path
        used |= {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
    of_lists = {code for code in WARNINGS if code.startswith(("prescriptions_", "informations_"))}
    return {*(WARNINGS.keys() & used), *of_lists, *NOTICES}


def events() -> set[str]:
    """The events of the assistant, and those that the edge adds."""
    names = [call.args[0] for call in calls(source_of(edge.clients.assistant), "Event")]
    added = [call.args[0] for call in calls(source_of(edge.api.v1.assistant), "encoded")]
    return texts([*names, *(name for name in added if not ast.unparse(name).endswith(".name"))])


def providers() -> set[str]:
    return {PROVIDER, OpenAIChat.provider}


def bill_lines() -> set[str]:
    lines = calls(source_of(keys.values.pricing), "Line")
    return texts(member.value for line in lines for member in line.keywords if member.arg == "kind")


def destinations() -> set[str]:
    return {label for family in sitadel_codes.FAMILIES for label in family.destinations.values()}


CODES: Mapping[str, Iterable[str] | Callable[[], Iterable[str]]] = {
    "problem": PROBLEMS,
    "error": errors,
    "warning": warnings,
    "check": [rule.code for rule in RULES],
    "procedure": PROCEDURES,
    "intent": INTENTS,
    "fact": FACTS,
    "layout_reason": REASONS,
    "regulation_state": regulation.REGULATION_STATES,
    "regulation_reason": {
        regulation.NOT_LOADED,
        regulation.NO_FILE,
        regulation.ELSEWHERE,
        *FILE_STATES,
        *WHY_EMPTY,
        LAYOUT_UNKNOWN,
    },
    "rule_state": regulation.RULE_STATES,
    "rule_operator": regulation.OPERATORS,
    "rule_kind": KINDS,
    "violation": get_args(Violation),
    "lot_access": get_args(Access),
    "method": get_args(Method),
    "lot_role": get_args(Role),
    "change_kind": get_args(ChangeKind),
    "side_kind": get_args(SideKind),
    "bound_kind": get_args(BoundKind),
    "risk_regulation": get_args(Regulation),
    "turning": get_args(Turning),
    "score_term": get_args(Term),
    "assumption": get_args(AssumptionName),
    "provider": providers,
    "event": events,
    "endpoint": WEIGHTS,
    "bill_line": bill_lines,
    "kind": get_args(Kind),
    "risk_subject": risks.SUBJECTS,
    "risk_status": (*get_args(RiskStatus), "unavailable"),
    "risk_grain": get_args(Grain),
    "risk_reason": risks.REASONS,
    "kind_basis": get_args(Basis),
    "geometry_kind": GEOMETRY_KINDS,
    "manager_type": get_args(ManagerType),
    "document_type": gpu_codes.DOCUMENT_TYPES.values(),
    "zone_type": gpu_codes.ZONE_TYPES,
    "sector_type": gpu_codes.SECTOR_TYPES,
    "type_dau": sitadel_codes.TYPE_DAU.values(),
    "etat_dau": sitadel_codes.ETAT.values(),
    "nature_projet_declaree": sitadel_codes.NATURE_PROJET_DECLAREE.values(),
    "nature_projet_completee": sitadel_codes.NATURE_PROJET_COMPLETEE.values(),
    "destination_principale": destinations(),
    "usage": bdtopo.USAGES,
    "lineage_kind": get_args(LineageKind),
    **{group: enum_values(enum) for group, enum in ENUMS.items()},
}
"""The codes of each group, or the function that finds them in the source."""


GROUPS = {group: [name for owner, name in dictionary().values if owner == group] for group, _ in dictionary().values}


def test_the_dictionary_has_the_groups_that_are_checked() -> None:
    assert set(GROUPS) == set(CODES)


@pytest.mark.parametrize("group", CODES)
def test_the_dictionary_has_every_code_and_no_other(group: str) -> None:
    source = CODES[group]
    codes = set(source() if callable(source) else source)
    assert codes, "no code was found"
    assert set(GROUPS[group]) == codes


def test_every_enum_of_the_contract_is_described() -> None:
    described = {enum.full_name for enum in [*ENUMS.values(), *INTERNAL_ENUMS]}
    modules = (land_pb2, assistant_pb2, keys_pb2, admin_pb2, webhooks_pb2)
    declared = {enum.full_name: enum for module in modules for enum in module.DESCRIPTOR.enum_types_by_name.values()}
    modes = declared.pop(assistant_pb2.AssistantMode.DESCRIPTOR.full_name)
    assert enum_values(modes) == enum_values(keys_pb2.AssistantMode.DESCRIPTOR)
    assert set(declared) == described


def test_the_sources_of_members_are_datasets() -> None:
    sources = {field.source for field in dictionary().fields.values()}
    families = {name.partition("-")[0] for name in PERMITS}
    assert sources - {"computed", "service"} <= {*registry.DATASETS, *families}
