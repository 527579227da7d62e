"""Names that Python and numpy have removed, provided to the modules of old projects only.

Project files are loaded through `loader`, which rewrites each read of such a name into a call of `lookup`.
"""
