"""The gRPC methods. They convert protobuf messages to domain values and back."""
