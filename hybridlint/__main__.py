"""``python -m hybridlint``."""

from __future__ import annotations

from hybridlint.cli import main

if __name__ == "__main__":
    main()
