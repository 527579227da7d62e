"""Operators of object detectors: boxes, anchors, regions of interest."""
