"""Tables of names, written as text."""

from __future__ import annotations

from hybridlint.text.mutators import changing_methods


def words(text: str) -> frozenset[str]:
    """Return the set of whitespace-separated words of a text."""
    return frozenset(text.split())


#: Modules of random numbers, and functions that read a clock.
DRAWING = words("random numpy.random secrets")
CLOCKS = words(
    """
    time.time time.perf_counter time.monotonic time.process_time time.clock time.thread_time time.time_ns
    time.perf_counter_ns time.monotonic_ns time.process_time_ns datetime.datetime.now datetime.datetime.utcnow
    datetime.datetime.today datetime.date.today
    """
)


def changes_by_call(name: str) -> bool:
    """Return whether a library's module or function gives something else in each call, by its full dotted name."""
    return name in DRAWING or name in CLOCKS or name.rpartition(".")[0] in DRAWING


#: Constructors of iterators that never end, or that yield something else in each call.
ITERATORS = words("itertools.count itertools.cycle iter")
QUEUES = words("queue.Queue queue.LifoQueue queue.PriorityQueue queue.SimpleQueue multiprocessing.Queue")
#: Constructors of objects that change with every use.
STATEFUL = (
    ITERATORS | QUEUES | words("random.Random random.SystemRandom numpy.random.RandomState numpy.random.default_rng")
)
#: Methods of containers that change their contents.
GROWING = words("append extend insert add update appendleft extendleft")
CHANGING = changing_methods()
#: Methods of numpy's arrays that change their numbers, their shape or what may be written to them.
CHANGING_ARRAYS = words("byteswap fill itemset partition put resize setfield setflags sort")
#: Those among them that only containers have.
OF_CONTAINERS = words("append extend insert appendleft extendleft popleft popitem setdefault")
