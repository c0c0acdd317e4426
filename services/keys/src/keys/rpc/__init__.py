"""What the handlers of all subjects share: how a call runs, the rules of requests, and conversions."""
