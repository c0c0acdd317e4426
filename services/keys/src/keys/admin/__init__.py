"""What admins do with keys, partners and plans, each change with its line in the audit log."""
