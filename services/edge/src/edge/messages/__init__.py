"""The JSON of the API, derived from the services' protobuf messages: what is written, read and described."""
