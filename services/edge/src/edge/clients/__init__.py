"""The other services, as the edge calls them. Protocol buffers are spoken here and nowhere else in the edge."""
