"""Land over gRPC: a message in, a call of `land.service`, a message out."""
