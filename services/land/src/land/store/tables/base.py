"""What all tables share."""

from sqlalchemy import LargeBinary, MetaData

from land.store.geometry import Geometry

metadata = MetaData()
GEOMETRY = Geometry().with_variant(LargeBinary(), "sqlite")
