"""The audit log in words: a sentence for each entry, and each changed field with its old and new value."""
