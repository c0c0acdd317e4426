"""Cards of law: one statement of law or practice each, how the right one is found, and the facts that decide it."""
