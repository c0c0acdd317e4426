"""Values and pure rules: records, prices, limits, decisions on leases, errors. They import no other folder of keys."""
