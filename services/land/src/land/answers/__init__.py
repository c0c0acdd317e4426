"""What all answers have: warnings, texts, sources and coverage."""
