"""Gate primitives as operators (IEEE 1364-2005, 7.2 and 7.3)."""

from __future__ import annotations

# gate -> operator between its inputs, whether the output is inverted
GATES = {
    "and": ("and", False),
    "nand": ("and", True),
    "or": ("or", False),
    "nor": ("or", True),
    "xor": ("xor", False),
    "xnor": ("xor", True),
    "buf": ("and", False),
    "not": ("and", True),
}
