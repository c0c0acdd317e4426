"""The methods that each caller may use. All others are refused."""

LAND_SERVICE = {
    "edge": (
        "ResolveAddresses", "SuggestAddresses", "ReverseAddress", "GetLandUnit", "SearchParcels", "GetTile",
        "GetCoverage", "ListCommunes", "GetDatasetStates",
    )
}  # fmt: skip
