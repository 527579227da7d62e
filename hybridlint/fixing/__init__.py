"""The fix loop, the choice of the fixes to offer, and the imports and line lengths after fixing."""
