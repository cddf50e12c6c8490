"""Type stubs of the modules whose names are data: what they hold, from the operator table and signatures."""
