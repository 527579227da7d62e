"""``mx.optimizer``: how weights change along their gradients. One file an optimizer."""

from __future__ import annotations

from hybridlint.runtime.optimizer import contrib
from hybridlint.runtime.optimizer.adadelta import AdaDelta
from hybridlint.runtime.optimizer.adagrad import AdaGrad
from hybridlint.runtime.optimizer.adam import Adam
from hybridlint.runtime.optimizer.adamax import Adamax
from hybridlint.runtime.optimizer.base import Optimizer
from hybridlint.runtime.optimizer.dcasgd import DCASGD
from hybridlint.runtime.optimizer.ftml import FTML
from hybridlint.runtime.optimizer.ftrl import Ftrl
from hybridlint.runtime.optimizer.lamb import LAMB
from hybridlint.runtime.optimizer.lars import LARS
from hybridlint.runtime.optimizer.lbsgd import LBSGD
from hybridlint.runtime.optimizer.nadam import Nadam
from hybridlint.runtime.optimizer.nag import NAG
from hybridlint.runtime.optimizer.rmsprop import RMSProp
from hybridlint.runtime.optimizer.sgd import SGD
from hybridlint.runtime.optimizer.sgld import SGLD
from hybridlint.runtime.optimizer.signum import Signum
from hybridlint.runtime.optimizer.testing import Test, ccSGD
from hybridlint.runtime.optimizer.updater import Updater, get_updater

create = Optimizer.create_optimizer
register = Optimizer.register
