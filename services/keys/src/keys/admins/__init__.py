"""Admins: sign-in, sessions, passwords, one-time codes, invitations and tokens."""
