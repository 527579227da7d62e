"""The last step of fixing: the fixed text replaces the file, unless the file changed after it was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridlint.core.result import Result

if TYPE_CHECKING:
    from hybridlint.project.settings.config import Config


def write_result(result: Result, config: Config) -> Result:
    """Write the fixed text of a result, and update the record of real runs for it.

    Returns the result; one with a failure in place of findings if the file could not be written.
    """
    from hybridlint.project.documents.places import contents
    from hybridlint.project.files.original import ChangedError, replace

    fixed = result.fixed
    if fixed is None or not fixed.changed or fixed.identity is None:
        return result
    try:
        before, after = contents(result.path, fixed)
        replace(result.path, fixed.identity, before, after)
    except (ChangedError, ValueError) as error:
        failure = str(error)
    except OSError as error:
        failure = f"cannot write the file: {error.strerror}"
    else:
        from hybridlint.proving.recording.store import keep_record

        keep_record(result.path, config, fixed.before, fixed.after)
        return result
    # Nothing was fixed, and the remaining findings refer to a text that was not written.
    return Result(result.path, failure=failure, proof=result.proof)
