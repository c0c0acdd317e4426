"""Shared code of the services: settings, logs, request id, gRPC server and client, deadlines, errors, database."""
