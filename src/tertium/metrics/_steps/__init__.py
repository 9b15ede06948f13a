"""How metrics come to the score of one segment, step by step: counts of their own rows, values of their formulas."""
