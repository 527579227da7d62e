"""The API for programs and tests: checks of files, proofs of block instances, and strict eager runs.

Proofs also work in a process with a real MXNet, under any Python from 3.8 on.
"""
