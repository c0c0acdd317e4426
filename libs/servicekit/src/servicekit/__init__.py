"""What every service needs and no domain: settings, logs, request id, gRPC bootstrap, deadlines, error mapping."""
