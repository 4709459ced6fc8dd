"""Where a snapshot is taken from: values in memory, files, SQLite, and any database of SQLAlchemy."""

from passhat.state.sources.taking import snapshot

__all__ = ["snapshot"]
