"""What can be learnt from scores beyond one number: every output against every other, choices among candidates."""
