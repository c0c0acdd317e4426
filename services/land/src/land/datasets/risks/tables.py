"""Answers of Géorisques."""

from sqlalchemy import Index

from land.datasets.risks.records import RiskAnswer
from land.store.tables import table_of

risk_answer = table_of(
    RiskAnswer, "risk_answer", ["commune_code", "place", "question"], Index("risk_answer_retrieved", "retrieved_at")
)
