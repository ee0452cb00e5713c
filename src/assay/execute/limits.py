"""What a worker may use before it is stopped."""

import msgspec


class Limits(msgspec.Struct, frozen=True):
    """Seconds a worker may take to start and to answer, and bytes it may allocate.

    ``memory_bytes`` counts what is allocated after the library was imported. ``retires``: a
    worker that has taken half of them is replaced after its answer, with all that it holds.
    ``restarts``: a target whose workers died more often than that is given up; None: never.
    """

    start_seconds: float = 180.0
    run_seconds: float = 60.0
    memory_bytes: int = 4 << 30
    retires: bool = True
    restarts: int | None = None
