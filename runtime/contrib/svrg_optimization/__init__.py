"""``mx.contrib.svrg_optimization``: gradients whose noise is reduced by a full gradient at an earlier point."""
