"""``mx.gluon.contrib.estimator``: a training loop that calls event handlers."""
