"""What cannot be said in the specification: the mode, or the composite, stays opaque for this reason."""


class NoTemplate(Exception):
    """Something that has no form in the specification; the message says what."""


class NothingWritten(NoTemplate):
    """Every element keeps its value."""


class Impossible(NoTemplate):
    """A mode, or a pair of modes, that no command and state select."""
