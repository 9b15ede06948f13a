"""Settings for all tests."""

import importlib.util
import os
import sys

import hypothesis

# `make sanitize` builds the kernel with ASan and UBSan and names it here: it takes the installed one's place.
if kernel := os.environ.get("TERTIUM_KERNEL"):
    spec = importlib.util.spec_from_file_location("tertium._kernel", kernel)
    assert spec is not None
    assert spec.loader is not None
    sys.modules["tertium._kernel"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["tertium._kernel"])

# The same examples everywhere, and no time limit per example: machines differ.
hypothesis.settings.register_profile("tertium", deadline=None, derandomize=True)
hypothesis.settings.load_profile("tertium")
