"""The pages of the report, served to this computer."""
