"""Who may do what, how often and how much: pure decisions on what the store read."""
