"""Joint ownerships of the national register."""
