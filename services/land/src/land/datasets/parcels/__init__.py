"""The cadastral plan: parcels, and the territories of communes."""
