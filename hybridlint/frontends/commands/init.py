"""``hybridlint init``: a project begins to use hybridlint."""

from __future__ import annotations

from pathlib import Path

import click

from hybridlint.checking.session import CheckSession
from hybridlint.project.adoption import start
from hybridlint.project.adoption.survey import ProjectSurvey, look
from hybridlint.project.files.output_files import change_whole, write_whole
from hybridlint.report.diff import text_diff
from hybridlint.report.style import show_path


@click.command("init", short_help="Write settings, the hook and a CI job into a project.")
@click.argument("folder", default=".", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--diff", is_flag=True, help="Show what would be written, and write nothing.")
def command(folder: Path, *, diff: bool) -> int:
    """Look at the project in FOLDER, and write what it lacks: settings, the pre-commit hook, a CI job.

    The default is the current folder. New files are written, and existing files get more lines; their other lines stay.
    The findings in the project's code are counted, but that code is neither run nor changed.
    """
    root = folder.resolve()
    session = CheckSession(use_cache=False)
    files = session.files([folder])
    looked = look(root, files)
    found = sum(len(result.diagnostics) for result in session.check(looked.files))
    click.echo(_seen(looked, found), nl=False)
    plans, left = list(start.plan_files(looked, found=found)), list(start.left_alone(looked))
    for plan in plans:
        start.check(plan)
    for plan in plans:
        if diff:
            click.echo(text_diff(show_path(plan.path), plan.before, plan.after), nl=False)
            continue
        plan.path.parent.mkdir(parents=True, exist_ok=True)
        if plan.new:
            write_whole(plan.path, plan.after)
        else:
            change_whole(plan.path, plan.before, plan.after)
        click.echo(f"{'Wrote' if plan.new else 'Added to'} {show_path(plan.path)}: {plan.purpose}.")
    for sentence in left:
        click.echo(sentence)
    if found:
        what, them = ("finding", "it") if found == 1 else ("findings", "them")
        click.echo(
            f"Next: `hybridlint check` shows the {found} {what}; with `--write-baseline` it takes note of {them},"
        )
        click.echo("and the hook and the job report only what is new.")
    return 0


def _seen(looked: ProjectSurvey, found: int) -> str:
    number = len(looked.files)
    files = f"{number} Python file{'' if number == 1 else 's'}"
    if not looked.hybrid:
        return f"{files}, none with hybrid blocks.\n"
    return f"{files}, {len(looked.hybrid)} with hybrid blocks; {found} finding{'' if found == 1 else 's'}.\n"
