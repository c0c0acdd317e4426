"""Parcels by place: those of an area that pass filters, page by page."""
