"""The audit log in words: what changed, in French and English."""
