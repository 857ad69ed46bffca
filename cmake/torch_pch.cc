// Owns the precompiled torch headers; see HyperppPackage.cmake.
