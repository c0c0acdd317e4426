"""The admin API (DESIGN §8.6). Each handler calls keys' AdminService, which makes every decision."""
