"""The lists of communes, and of their postcodes."""
