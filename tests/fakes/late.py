"""A program that begins to read late: `python late.py MARKER METHOD PROGRAM ARGUMENT...`.

PROGRAM is started only after a message of METHOD has come; then it gets all that came before. MARKER is a file that
is written at the first start: where it is there, PROGRAM is started at once.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path


def main(marker: Path, method: str, program: list[str]) -> None:
    if marker.exists():
        os.execvp(program[0], program)
    marker.touch()
    held = b""
    while f'"{method}"'.encode() not in held:
        block = os.read(0, 65_536)
        if not block:
            return
        held += block
    reading, writing = os.pipe()
    if os.fork() == 0:  # hands on the rest; it holds no end of what the program writes to
        for each in (reading, 1, 2):
            os.close(each)
        with contextlib.suppress(BrokenPipeError):
            while held:
                held = held[os.write(writing, held) :] or os.read(0, 65_536)
        os._exit(0)
    os.close(writing)
    os.dup2(reading, 0)
    os.execvp(program[0], program)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
