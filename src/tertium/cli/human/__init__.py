"""`tertium human`: what people said of systems."""
