"""The API for programs and tests: proofs of block instances, and eager runs that reject what cannot be compiled.

Proofs also work in a process with a real MXNet, under any Python from 3.8 on.
"""
