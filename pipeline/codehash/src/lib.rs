//! Digests of what a module's code means: its token stream and that of every module it reaches.
