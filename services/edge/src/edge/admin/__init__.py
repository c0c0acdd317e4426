"""The admins' interface (DESIGN §8.6): HTTP in, AdminService out. keys decides everything."""
