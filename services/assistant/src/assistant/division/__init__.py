"""Draws lots on a land unit: geometry in metres, deterministic, within assumptions that are stated."""
