"""The events of keys: limits that are nearly used up, keys that expire, and closed bills."""
