"""What translation teams have: XLIFF, SDLXLIFF, TMX, PO and sheets of segments."""
