"""Query parameters, each set as one model: validated and described from the same place."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

DEFAULT_PAGE, MAX_PAGE = 50, 200
_CURSOR = 500


class CoverageParameters(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    commune: Annotated[str, Field(pattern=r"^(\d{2}|2[AB])\d{3}$")] | None = Field(
        default=None, description="Only this commune, by its INSEE code."
    )
    limit: int = Field(default=DEFAULT_PAGE, ge=1, le=MAX_PAGE, description="How many at most.")
    cursor: Annotated[str, Field(max_length=_CURSOR)] | None = Field(
        default=None, description="next_cursor of the page before."
    )
