"""The system calls that a proof needs, each with its reason; all others are refused.

A proof runs Python, numpy with the threads of its BLAS, llvmlite, CuPy, or a real MXNet. The first rule of a call whose
tests hold decides what happens. `tests/proving/test_calls.py` tries every number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple


class CallAction(Enum):
    """What happens to a system call."""

    #: The system does it.
    ALLOW = "allowed"
    #: Nothing is done, and the caller is told of success.
    PRETEND = "not done, and reported as done"
    #: As `PRETEND`, and named if it is about a file outside of the proof's folder.
    NAME = "not done, reported as done, and named"
    #: The system seems to lack it (ENOSYS), so that libraries take another way; it is not named.
    ABSENT = "absent"
    #: It fails (EPERM), and is not named, as libraries try it unasked.
    DENY = "refused"
    #: It fails (EPERM), and the outcome names it.
    REFUSE = "refused and named"
    #: The supervisor of the proof lets it happen once for each block that it asks for.
    COPY = "allowed for a block"


class ArgumentTest(NamedTuple):
    """Whether an argument (from 0), masked, is one of some values; `high` tests its upper half."""

    at: int
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF
    high: bool = False

    def holds(self, arguments: Sequence[int]) -> bool:
        """Return whether the test holds for the arguments of a call."""
        value = arguments[self.at] >> 32 if self.high else arguments[self.at]
        return value & self.mask in self.values


class OwnTest(NamedTuple):
    """Whether an argument is the number of the calling process or thread, or also 0 for it."""

    at: int
    zero: bool

    def values(self, own: Sequence[int]) -> tuple[int, ...]:
        """Return the values for which the test holds, for a caller with these numbers."""
        return (*own, 0) if self.zero else tuple(own)


class CallRule(NamedTuple):
    """The action for some system calls if all `tests` are true, and its reason."""

    names: str
    reason: str
    action: CallAction = CallAction.ALLOW
    tests: tuple[ArgumentTest | OwnTest, ...] = ()


def _is(at: int, *values: int, mask: int = 0xFFFFFFFF) -> ArgumentTest:
    return ArgumentTest(at, values, mask)


def _null(at: int) -> tuple[ArgumentTest, ArgumentTest]:
    return ArgumentTest(at, (0,)), ArgumentTest(at, (0,), high=True)


#: What a thread shares with its process, and what it may say of itself besides.
_THREAD, _OF_THREADS = 0x10900, 0x17C0600
#: Opening a file without writing while emptying it; older versions of Landlock let that pass.
_OPENING, _EMPTYING = 0o1003, (0o1000, 0o1003)
_UNIX, _STREAM, _TYPE = 1, (1, 5), 0xF

#: The table. No rule means `CallAction.REFUSE`.
TABLE: tuple[CallRule, ...] = (
    # -- files and folders: where they may be written, Landlock decides
    CallRule(
        "read pread64 readv preadv preadv2 lseek readahead fadvise64 getdents getdents64", "Reads files and folders."
    ),
    CallRule(
        "open", "Empties a file that it opens for reading.", CallAction.REFUSE, (_is(1, *_EMPTYING, mask=_OPENING),)
    ),
    CallRule(
        "openat", "Empties a file that it opens for reading.", CallAction.REFUSE, (_is(2, *_EMPTYING, mask=_OPENING),)
    ),
    CallRule("open openat creat close close_range dup dup2 dup3 umask", "Opens and closes files."),
    CallRule(
        "openat2",
        "Its flags are in memory, where a filter cannot read them; `openat` does the same.",
        CallAction.ABSENT,
    ),
    CallRule("stat fstat lstat newfstatat statx statfs fstatfs access faccessat faccessat2", "Looks at files."),
    CallRule(
        "getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr", "Looks at files: shutil copies attributes."
    ),
    CallRule("readlink readlinkat getcwd chdir fchdir", "Finds files."),
    CallRule("write pwrite64 writev pwritev pwritev2 ftruncate fallocate", "Writes files that were opened for it."),
    CallRule("fsync fdatasync sync_file_range", "Writes what was written to a file to its disk: databases."),
    CallRule("rename renameat renameat2 unlink unlinkat mkdir mkdirat rmdir", "Changes folders of the proof."),
    CallRule("link linkat symlink symlinkat", "Changes folders of the proof."),
    CallRule("sendfile copy_file_range", "Copies files: shutil."),
    CallRule(
        "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes utimensat futimesat setxattr "
        "lsetxattr fsetxattr removexattr lremovexattr fremovexattr setxattrat removexattrat file_setattr",
        "No filter can limit changes of metadata to a folder, and copying and unpacking files ends with one.",
        CallAction.NAME,
    ),
    CallRule(
        "flock", "A lock on a file outside would stop other programs; a proof has nobody to lock out.", CallAction.NAME
    ),
    CallRule(
        "fcntl",
        "As `flock`: databases lock what they read. No other process of a proof opens the file.",
        CallAction.PRETEND,
        (_is(1, 6, 7, 37, 38),),
    ),
    CallRule(
        "fcntl",
        "Copies a descriptor, its flags, the size of a pipe, whether there is a lock; no owner, signal or lease.",
        tests=(_is(1, 0, 1, 2, 3, 4, 5, 36, 1030, 1031, 1032, 1034),),
    ),
    CallRule(
        "ioctl",
        "Asks for the width of a terminal and the bytes that wait, and says what is closed on exec or does not block.",
        tests=(_is(1, 0x5401, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A),),
    ),
    # -- memory
    CallRule("mmap munmap mprotect mremap madvise mincore msync brk", "Holds arrays, libraries and compiled code."),
    CallRule("mlock mlock2 munlock mlockall munlockall", "Keeps own memory from being swapped out, within the limit."),
    CallRule("mbind get_mempolicy set_mempolicy", "Places own memory near a processor: OpenMP, CUDA."),
    CallRule("pkey_mprotect pkey_alloc pkey_free mseal map_shadow_stack", "Protects own memory: the C library."),
    CallRule("membarrier", "Orders what threads see of each other: run-time libraries."),
    CallRule("memfd_create", "Its memory is in no limit; libffi takes another way.", CallAction.ABSENT),
    # -- threads and the process itself
    CallRule(
        "clone",
        "Starts a thread: BLAS, OpenMP, MXNet's engine, Python.",
        tests=(_is(0, _THREAD, mask=0xFFFFFFFF & ~_OF_THREADS),),
    ),
    CallRule(
        "clone",
        "The supervisor of the proof asks for a copy for each block.",
        CallAction.COPY,
        (_is(0, 0x1200011, 0x11),),
    ),
    CallRule("fork", "As `clone`, in other C libraries.", CallAction.COPY),
    CallRule(
        "clone3", "Its flags are in memory, where a filter cannot read them; `clone` is called then.", CallAction.ABSENT
    ),
    CallRule("exit exit_group wait4 waitid", "Ends, and sees a copy end."),
    CallRule("futex futex_waitv futex_wake futex_wait futex_requeue", "Lets threads wait for each other."),
    CallRule("set_robust_list set_tid_address rseq restart_syscall", "Prepares threads: the C library."),
    CallRule("get_robust_list", "Looks at the own thread's locks.", tests=(OwnTest(0, zero=True),)),
    CallRule("arch_prctl", "Sets a register of the own thread, and asks for AMX: BLAS, oneDNN."),
    CallRule("sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_getattr", "Looks at processors."),
    CallRule(
        "sched_get_priority_max sched_get_priority_min sched_rr_get_interval getcpu getpriority", "Looks at them."
    ),
    CallRule(
        "sched_setaffinity sched_setparam sched_setscheduler sched_setattr",
        "Places the own threads on processors: OpenMP, MXNet's engine.",
        tests=(OwnTest(0, zero=True),),
    ),
    CallRule(
        "setpriority",
        "Lowers the own priority, as `os.nice` does.",
        tests=(_is(0, 0), OwnTest(1, zero=True)),
    ),
    CallRule("getpid gettid getppid getpgrp getpgid getsid", "Says who it is."),
    CallRule("getuid geteuid getgid getegid getresuid getresgid getgroups capget", "Says who it is."),
    CallRule("uname sysinfo getrlimit getrusage times getrandom", "Looks at the machine and at what was used."),
    CallRule("setrlimit", "Lowers the own limits."),
    CallRule("prlimit64", "Reads and lowers the own limits: `resource`.", tests=(OwnTest(0, zero=True),)),
    CallRule("personality", "Asks for the own one.", tests=(_is(0, 0xFFFFFFFF),)),
    CallRule("prctl", "The kernel ends it with the process that started it.", tests=(_is(0, 1), _is(1, 9))),
    CallRule(
        "prctl",
        "Names threads and memory, and looks at the own process: pthreads, malloc, Python.",
        tests=(_is(0, 3, 15, 16, 21, 23, 27, 29, 30, 38, 39, 41, 42, 50, 51, 54, 55, 56, 0x41555856, 0x53564D41),),
    ),
    CallRule("prctl", "Debuggers and crash handlers announce themselves.", CallAction.DENY, (_is(0, 0x59616D61),)),
    CallRule(
        "seccomp",
        "Adds a filter, which only ever refuses more: that of a block.",
        tests=(_is(0, 1), _is(1, 0, 1)),
    ),
    CallRule("uretprobe uprobe", "The kernel asks no filter about them: they end a process that no probe has stopped."),
    # -- signals to itself
    CallRule("rt_sigaction rt_sigprocmask rt_sigpending rt_sigtimedwait rt_sigsuspend", "Handles its own signals."),
    CallRule("rt_sigreturn sigaltstack pause signalfd signalfd4", "Handles its own signals."),
    CallRule(
        "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo",
        "Sends signals to itself: abort, pthread_kill.",
        tests=(OwnTest(0, zero=False),),
    ),
    # -- time
    CallRule("clock_gettime clock_getres gettimeofday time", "Tells the time."),
    CallRule("nanosleep clock_nanosleep alarm getitimer setitimer", "Waits, and is woken."),
    CallRule("timer_create timer_settime timer_gettime timer_getoverrun timer_delete", "Is woken."),
    CallRule("timerfd_create timerfd_settime timerfd_gettime", "Is woken."),
    # -- waiting for descriptors, and talking within the process and with the supervisor
    CallRule("poll ppoll select pselect6", "Waits for descriptors."),
    CallRule("epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2", "Waits for them: asyncio."),
    CallRule("pipe pipe2 eventfd eventfd2", "Talks within the process: asyncio, CUDA."),
    CallRule("socketpair", "Talks within the process: asyncio.", tests=(_is(0, _UNIX), _is(1, *_STREAM, mask=_TYPE))),
    CallRule("sendto", "Talks to the supervisor; an address would name another process.", tests=_null(4)),
    CallRule("sendmsg recvfrom recvmsg shutdown", "Talks to the supervisor. Streams take no address."),
    CallRule("getsockname getpeername setsockopt getsockopt", "Looks at such a pair: Python's `socket`."),
    CallRule(
        "socket",
        "The C library asks for a cache of names, or reads files.",
        CallAction.DENY,
        (_is(0, _UNIX),),
    ),
    CallRule(
        "io_uring_setup io_uring_enter io_uring_register io_setup io_submit io_getevents io_pgetevents io_cancel "
        "io_destroy",
        "It would run other calls past the filter; libraries that know it can do without.",
        CallAction.ABSENT,
    ),
    CallRule("inotify_init inotify_init1", "Watches files, which no proof needs; libraries poll.", CallAction.ABSENT),
)
#: What computing on NVIDIA's GPUs needs besides.
ON_GPU: tuple[CallRule, ...] = (
    CallRule("ioctl", "Commands of the driver.", tests=(_is(1, 0x4600, mask=0xFF00),)),
    CallRule("ioctl", "Commands of memory which both processors see.", tests=(_is(1, 0, mask=0xFFFFFF00),)),
    CallRule("ioctl", "Begins and ends the use of that memory.", tests=(_is(1, 0x30000001, 0x30000002),)),
    CallRule("memfd_create", "Memory that both processors see."),
)
#: What changes files whose size Landlock watches from its third version on.
TRUNCATING: tuple[CallRule, ...] = (CallRule("truncate", "Changes the size of a file of the proof."),)


class CallTable(NamedTuple):
    """The rules of each call, in order; a call without rules is refused and named."""

    by_name: Mapping[str, Sequence[CallRule]]

    def decide(self, name: str, arguments: Sequence[int], own: Sequence[int]) -> CallAction:
        """Return the action for a call with these arguments of a process with these numbers."""
        for rule in self.by_name.get(name, ()):
            if all(_holds(test, arguments, own) for test in rule.tests):
                return rule.action
        return CallAction.REFUSE


@lru_cache(maxsize=4)
def call_table(*, on_gpu: bool = False, truncating: bool = True) -> CallTable:
    """Return the table of a process; `truncating` says that Landlock confines changes of a file's size."""
    rules = (*(ON_GPU if on_gpu else ()), *TABLE, *(TRUNCATING if truncating else ()))
    found: dict[str, list[CallRule]] = {}
    for rule in rules:
        for name in rule.names.split():
            found.setdefault(name, []).append(rule)
    return CallTable(found)


def _holds(test: ArgumentTest | OwnTest, arguments: Sequence[int], own: Sequence[int]) -> bool:
    if isinstance(test, ArgumentTest):
        return test.holds(arguments)
    return arguments[test.at] & 0xFFFFFFFF in test.values(own)
