"""The annotation app: what raters see, and the dashboard of whoever runs the campaign."""
