"""evaluate(testset, systems, metrics) -> Evaluation, and how shards run."""
