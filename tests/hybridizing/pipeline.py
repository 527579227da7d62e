"""The pipeline that the tests convert with: settings of the current folder, nothing shown."""

from hybridlint.checking.pipeline import Pipeline, Steps
from hybridlint.checking.session import Session

PIPELINE = Pipeline(Session(), Steps(fix=True, unsafe=True, prove=True))
