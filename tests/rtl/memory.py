"""A byte memory behind the accelerator's memory port, with random latency and back-pressure, for module testbenches."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping

BEAT = 16


class Memory:
    """`size` random bytes. Call `inputs` for a cycle's port inputs, then `cycle` with the outputs sampled in that cycle."""

    def __init__(self, size: int, rng: random.Random):
        self.bytes = bytearray(rng.randbytes(size))
        self._rng = rng
        self._answers: deque[bytes] = deque()
        self._ready = 0
        self._waiting: Mapping[str, int] | None = None
        self._answered = False

    def inputs(self) -> dict[str, int]:
        self._ready = int(self._rng.random() < 0.6)
        self._answered = bool(self._answers) and self._rng.random() < 0.5
        data = self._answers.popleft() if self._answered else self._rng.randbytes(BEAT)
        return {"mem_req_ready": self._ready, "mem_resp_valid": int(self._answered), "mem_resp_data": int.from_bytes(data, "little")}

    def cycle(self, outputs: Mapping[str, int], write: bool) -> None:
        """Take the request in `outputs` (mem_req_*), if any; checks that a waiting request stays as it is."""
        request = {name: value for name, value in outputs.items() if name.startswith("mem_req_")}
        assert self._waiting is None or request == self._waiting, "a waiting request changed"
        self._waiting = request if request["mem_req_valid"] and not self._ready else None
        if not (request["mem_req_valid"] and self._ready):
            return
        address = request["mem_req_addr"]
        if write:
            self._write(address, request["mem_req_data"].to_bytes(BEAT, "little"), request["mem_req_mask"])
        else:
            self._answers.append(bytes(self.bytes[address : address + BEAT]).ljust(BEAT, b"\xa5"))

    def _write(self, address: int, data: bytes, mask: int) -> None:
        for k in range(BEAT):
            if mask >> k & 1:
                self.bytes[address + k] = data[k]
