"""The API for partners."""
