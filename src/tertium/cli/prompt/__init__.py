"""`tertium prompt`: language models that answer and translate."""
