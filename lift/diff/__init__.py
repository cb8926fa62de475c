"""Two instruction sets -> what changed between them, instruction by instruction."""

from lift.diff.compare import Change, differences

__all__ = ["Change", "differences"]
