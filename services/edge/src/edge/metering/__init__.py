"""What came of each request, kept on disk until keys has counted it."""
