"""Writes what the clients derive from the API description: the Python types and the Postman collection."""
