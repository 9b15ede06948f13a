"""Meta-evaluation: how far metrics agree with human judgements."""
