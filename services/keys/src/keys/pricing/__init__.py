"""What usage costs. Decimal only, EUR, rounded once per line."""
