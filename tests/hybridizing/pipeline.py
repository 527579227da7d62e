"""The pipeline that the tests convert with: settings of the current folder, nothing shown."""

from hybridlint.checking.pipeline import Pipeline, PipelineSteps
from hybridlint.checking.session import CheckSession

PIPELINE = Pipeline(CheckSession(), PipelineSteps(fix=True, unsafe=True, prove=True))
