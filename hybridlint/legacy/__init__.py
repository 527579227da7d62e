"""Names that Python and numpy have removed, served as they were to the modules of old projects, and to nobody else.

Source files of projects are loaded through `loader`, which rewrites what reads such a name into a question to `lookup`.
"""
