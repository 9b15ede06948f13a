"""The local workbench: uploads, jobs and the pages of the report, served to this computer."""
