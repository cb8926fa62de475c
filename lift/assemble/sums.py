"""Addresses that are put together from bits, as sums.

Before --> after:  zext(row) << 2 | k --> (zext(row) << 2) + k      where no bit can be 1 in both operands
"""

from __future__ import annotations

from lift.unroll import terms
from lift.unroll.terms import Term


def summed(address: Term) -> Term:
    """The same address with sums in place of unions of bits that do not meet."""
    match address.op:
        case "or" if not _ones(address.args[0]) & _ones(address.args[1]):
            return terms.apply("add", address.width, (summed(address.args[0]), summed(address.args[1])))
        case "add" | "sub" | "shl" | "zext":
            args = tuple(summed(a) for a in address.args)
            return address if args == address.args else terms.apply(address.op, address.width, args)
    return address


def _ones(term: Term) -> int:
    """The bits that may be 1."""
    whole = (1 << term.width) - 1
    match term.op:
        case "const":
            return int(term.attr or 0)
        case "zext":
            return _ones(term.args[0])
        case "shl" if term.args[1].is_const:
            return _ones(term.args[0]) << int(term.args[1].attr or 0) & whole
        case "lshr" if term.args[1].is_const:
            return _ones(term.args[0]) >> int(term.args[1].attr or 0)
        case "and":
            return _ones(term.args[0]) & _ones(term.args[1])
        case "or" | "xor":
            return _ones(term.args[0]) | _ones(term.args[1])
        case "mux":
            return _ones(term.args[1]) | _ones(term.args[2])
    return whole
