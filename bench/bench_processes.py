"""Compares services of one process with services of several, embedded on all cores of this machine.

Both installations answer in turn: the processor time of a request, and answers per second. Clients use the same cores,
so compare only the ratios. Addresses and parcels are those of the demo commune.
"""

SERVICES = ("EDGE", "LAND", "KEYS", "ASSISTANT")
ROUNDS = 5
PER_ROUND = 320
CLIENTS = (1, 16, 64)
TARGET = 1.1
"""For the processor time of a request."""
