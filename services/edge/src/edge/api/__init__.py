"""The partners' interface."""
