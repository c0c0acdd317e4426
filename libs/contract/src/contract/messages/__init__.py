"""The JSON of the services' answers, and its schemas."""
