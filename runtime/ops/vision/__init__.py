"""Operators on images: colors, interpolation, sampling at the places of a grid."""
