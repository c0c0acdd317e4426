"""The admin API. Each handler calls keys' AdminService, which makes every decision."""
