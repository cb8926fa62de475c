"""The word-level design: its data (`model`), how it is put together from definitions, and how it runs."""

from lift.netlist.builder import Builder
from lift.netlist.model import Location, Memory, MemoryWrite, Netlist, Node, Register

__all__ = ["Builder", "Location", "Memory", "MemoryWrite", "Netlist", "Node", "Register"]
