"""What was worked out before, kept on disk by content: whole runs, executions of instructions, lifted functions, lemmas."""

from lift.cache.store import Store, default_directory

__all__ = ["Store", "default_directory"]
