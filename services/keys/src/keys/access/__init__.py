"""Who the admins are: setup, sign-in, sessions, tokens and roles. Holds no SQL."""
