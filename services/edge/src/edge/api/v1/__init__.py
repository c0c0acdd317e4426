"""Version 1 of the partners' interface: one module per resource, each a few lines of parse, call and map."""
