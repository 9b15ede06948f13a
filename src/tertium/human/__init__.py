"""Human judgements: standardised, ranked, and how far raters agree."""
