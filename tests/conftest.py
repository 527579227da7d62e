"""What all tests need before numpy is imported."""

import os

#: The tests run in a process for each core, so that OpenBLAS has none left for threads of its own; and some of its
#: builds give wrong products when threads of a program multiply at once (OpenBLAS's FAQ advises the same).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
#: The tests start thousands of processes, which would each compile all modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
