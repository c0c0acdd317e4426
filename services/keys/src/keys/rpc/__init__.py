"""The gRPC servicers. They convert messages and call the domain."""
