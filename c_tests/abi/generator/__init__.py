"""Random C signatures, written out as C that checks itself."""
