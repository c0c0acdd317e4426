"""Changes that admins make to keys, partners, plans and admins. Each change writes an entry in the audit log."""
