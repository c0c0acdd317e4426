"""What partners see: the JSON of answers, and the texts that describe it."""
