"""Authenticates admins: setup, sign-in, sessions, passwords and one-time codes. Contains no SQL."""
