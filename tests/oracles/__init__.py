"""Other people's programs on real data: their numbers are in ../shared/oracles, with tool, version and command."""
