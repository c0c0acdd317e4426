"""The service's calls: protobuf in, domain, protobuf out."""
