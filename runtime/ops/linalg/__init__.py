"""Linear algebra: products, factors, inverses, Fourier transforms."""
