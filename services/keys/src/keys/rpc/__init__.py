"""The calls: their rules, what answers them, and conversions between messages and the domain."""
