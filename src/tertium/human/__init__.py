"""What people said: standardised, ranked, and how far they agree."""
