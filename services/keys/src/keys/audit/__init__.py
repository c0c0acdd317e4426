"""The audit log: every change and its author, and its words in French and English."""
