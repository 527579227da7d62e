"""What programs and tests call: proofs of blocks that are there, and eager runs that refuse what cannot be compiled.

Proofs also work where the process has a real MXNet, under any Python from 3.8 on.
"""
