"""tertium measures machine translation. The public names, and nothing else."""
