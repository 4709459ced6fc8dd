"""passhat."""
