"""Outputs damaged on purpose: kinds of noise, which words they touch, the noised outputs."""
