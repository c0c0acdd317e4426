"""The gRPC face: proto in, call, proto out."""
