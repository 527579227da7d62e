"""Run cells in order in one namespace, as a notebook does, and print what each of them shows.

    hybridlint run notebook.py CELLS.json

A last expression is displayed; a line that begins with ``!`` is a shell command.
"""

import ast
import json
import subprocess
import sys

MARK = "=====cell====="


def run(code: str, namespace: dict[str, object]) -> None:
    lines = [f"_shell({line[1:]!r})" if line.startswith("!") else line for line in code.splitlines()]
    tree = ast.parse("\n".join(lines))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), namespace)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)
        if value is not None:
            print(repr(value))


def shell(command: str) -> None:
    sys.stdout.flush()
    subprocess.run(command, shell=True, check=True)


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        cells = json.load(file)
    namespace: dict[str, object] = {"__name__": "__main__", "_shell": shell}
    for cell in cells:
        print(MARK)
        run(cell, namespace)


if __name__ == "__main__":
    main()
