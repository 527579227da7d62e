"""A project whose every function leaves something behind where nobody stops it: each writes, connects or starts.

`OUTSIDE`, `PROJECT` and `PORT` are replaced by a folder outside of the project, the project's, and a port that listens.
"""

from __future__ import annotations

#: Effects that a proof lets happen, in folders of its own, which go with it.
ALLOWED = ("home", "tmp", "working folder")
#: Effects of which Python tells nothing: the system alone stops them.
UNSEEN = ("mkfifo", "mknod", "os.open below")
#: Effects that the system stops before Python could name them: a database may be read, and is not written.
NAMELESS = (*UNSEEN, "sqlite3 update")
#: Effects that are named without a line of the project: none of its code runs there.
PLACELESS = "thread of a library"
#: What code does to leave something, by name: statements that stand in a function with `os` imported.
EFFECTS = {
    "open": "open('OUTSIDE/open', 'w').write('x')",
    "append": "open('OUTSIDE/kept.txt', 'a').write('x')",
    "update": "open('OUTSIDE/kept.txt', 'r+').write('x')",
    "relative": "open('../../made', 'w').write('x')",
    "project": "open('PROJECT/made', 'w').write('x')",
    "through a link": "open('package/made', 'w').write('x')",
    "home": "open(os.path.expanduser('~/made'), 'w').write('x')",
    "tmp": "import tempfile; open(tempfile.mkdtemp() + '/made', 'w').write('x')",
    "working folder": "open('made', 'w').write('x'); os.mkdir('folder')",
    "os.open": "os.open('OUTSIDE/os.open', os.O_CREAT | os.O_WRONLY)",
    "os.open read": "os.open('OUTSIDE/os.open.read', os.O_CREAT | os.O_RDONLY)",
    "os.open truncate": "os.open('OUTSIDE/kept.txt', os.O_TRUNC | os.O_RDONLY)",
    "os.open below": "os.open('below', os.O_CREAT | os.O_WRONLY, dir_fd=os.open('OUTSIDE', os.O_RDONLY))",
    "mkdir": "os.mkdir('OUTSIDE/mkdir')",
    "makedirs": "os.makedirs('OUTSIDE/a/b/c')",
    "mkfifo": "os.mkfifo('OUTSIDE/mkfifo')",
    "mknod": "os.mknod('OUTSIDE/mknod')",
    "remove": "os.remove('OUTSIDE/kept.txt')",
    "rmtree": "import shutil; shutil.rmtree('OUTSIDE/folder')",
    "rename": "os.rename('OUTSIDE/kept.txt', 'OUTSIDE/renamed')",
    "replace": "open('new', 'w').close(); os.replace('new', 'OUTSIDE/kept.txt')",
    "link": "os.link('OUTSIDE/kept.txt', 'OUTSIDE/link')",
    "symlink": "os.symlink('/', 'OUTSIDE/symlink')",
    "through an own link": "os.symlink('OUTSIDE', 'out'); open('out/through', 'w').write('x')",
    "truncate": "os.truncate('OUTSIDE/kept.txt', 0)",
    "chmod": "os.chmod('OUTSIDE/kept.txt', 0)",
    "fchmod": "os.fchmod(os.open('OUTSIDE/kept.txt', os.O_RDONLY), 0)",
    "utime": "os.utime('OUTSIDE/kept.txt', (0, 0))",
    "copy": "import shutil; shutil.copy('OUTSIDE/kept.txt', 'OUTSIDE/copy')",
    "numpy.save": "import numpy; numpy.save('OUTSIDE/numpy', numpy.ones(3))",
    "numpy.tofile": "import numpy; numpy.ones(3).tofile('OUTSIDE/tofile')",
    "numpy.memmap": "import numpy; numpy.memmap('OUTSIDE/memmap', mode='w+', shape=3)",
    "nd.save": "mx.nd.save('OUTSIDE/nd', mx.nd.ones(3))",
    "mmap": "import mmap; mmap.mmap(os.open('OUTSIDE/kept.txt', os.O_RDWR), 3)[0] = 65",
    "sqlite3": "import sqlite3; sqlite3.connect('OUTSIDE/sqlite').execute('create table t (x)')",
    "sqlite3 update": "import sqlite3; sqlite3.connect('OUTSIDE/kept.db').execute('delete from t').connection.commit()",
    "dbm": "import dbm.dumb; dbm.dumb.open('OUTSIDE/dbm', 'c')",
    "logging": "import logging; logging.FileHandler('OUTSIDE/logging').emit(logging.makeLogRecord({}))",
    "zipfile": "import zipfile; zipfile.ZipFile('OUTSIDE/zip', 'w').writestr('x', 'x')",
    "bytecode": "import py_compile; py_compile.compile('PROJECT/helper.py')",
    "ctypes open": "import ctypes; ctypes.CDLL(None).open(b'OUTSIDE/ctypes', 0o101, 0o644)",
    "ctypes system": "import ctypes; ctypes.CDLL(None).system(b'touch OUTSIDE/ctypes.system')",
    "ctypes chmod": "import ctypes; ctypes.CDLL(None).chmod(b'OUTSIDE/kept.txt', 0)",
    "pythonapi": "import ctypes; ctypes.pythonapi.open(b'OUTSIDE/pythonapi', 0o101, 0o644)",
    "posix": "import posix; posix.close(posix.open('OUTSIDE/posix', os.O_CREAT))",
    "os.system": "os.system('touch OUTSIDE/os.system')",
    "popen": "os.popen('touch OUTSIDE/popen').read()",
    "subprocess": "import subprocess; subprocess.run(['touch', 'OUTSIDE/subprocess'], check=True)",
    "exec": "os.execvp('touch', ['touch', 'OUTSIDE/exec'])",
    "spawn": "os.spawnvp(os.P_WAIT, 'touch', ['touch', 'OUTSIDE/spawn'])",
    "posix_spawn": "os.posix_spawn('/usr/bin/touch', ['touch', 'OUTSIDE/posix_spawn'], {})",
    "fork": "os.fork() or open('OUTSIDE/fork', 'w')",
    "daemon": "os.fork() or (os.setsid(), os.fork() or __import__('time').sleep(600))",
    "multiprocessing": (
        "import multiprocessing as m; m.get_context('fork').Process(target=open, args=('OUTSIDE/mp', 'w')).start()"
    ),
    "multiprocessing spawn": (
        "import multiprocessing as m; m.get_context('spawn').Process(target=open, args=('OUTSIDE/m', 'w')).start()"
    ),
    "spawnv_passfds": (
        "from multiprocessing.util import spawnv_passfds as spawn; "
        "spawn(b'/usr/bin/touch', [b'/usr/bin/touch', b'OUTSIDE/passfds'], [])"
    ),
    "kill": "os.kill(os.getppid(), 9)",
    "socket": "import socket; socket.create_connection(('127.0.0.1', PORT), 5).send(b'x')",
    "udp": "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', PORT))",
    "urllib": "import urllib.request; urllib.request.urlopen('http://127.0.0.1:PORT/', timeout=5)",
    "listen": "import socket; socket.create_server(('127.0.0.1', 0))",
    "unix socket": "import socket; socket.socket(socket.AF_UNIX).bind('OUTSIDE/unix')",
    "interpreter": (
        "import sys; name = '_interpreters' if sys.version_info >= (3, 13) else '_xxsubinterpreters'; "
        'i = __import__(name); i.run_string(i.create(), \'open("OUTSIDE/interpreter", "w")\')'
    ),
    "thread": "import threading as t; t = t.Thread(target=lambda: open('OUTSIDE/thread', 'w')); t.start(); t.join()",
    "thread of a library": (
        "import threading; t = threading.Thread(target=open, args=('OUTSIDE/bare', 'w')); t.start(); t.join()"
    ),
}


HEAD = """\
import os

import mxnet as mx
from mxnet.gluon import nn


def leave():
EFFECTS


"""
NET = """\
class Net(nn.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        CONSTRUCTOR

    # hybridlint: verify(x=("N", 4))
    def hybrid_forward(self, F, x):
        FORWARD
        return F.relu(x)


MODULE
"""
#: Where code stands that runs when a block is proved, with the call there.
PLACES = {
    "MODULE": "leave()",
    "CONSTRUCTOR": "leave()",
    "FORWARD": "leave()",
    "TRACE": "F is mx.nd or leave()",
}


def module(place: str, effects: dict[str, str], *, swallowed: bool = True) -> str:
    """Return the text of a module that has effects at a place; where they are swallowed all are tried."""
    body = "\n".join(_attempt(effect) if swallowed else f"    {effect}" for effect in effects.values())
    text = HEAD.replace("EFFECTS", body) + NET
    text = text.replace("FORWARD" if place == "TRACE" else place, PLACES[place])
    for other in ("CONSTRUCTOR", "FORWARD", "MODULE"):
        text = text.replace(other, "pass")
    return text


def _attempt(effect: str) -> str:
    return f"    try:\n        {effect}\n    except BaseException:\n        pass"


def placed(text: str, *, outside: str, project: str, port: int) -> str:
    """Return a text with what stands for places replaced."""
    return text.replace("OUTSIDE", outside).replace("PROJECT", project).replace("PORT", str(port))
