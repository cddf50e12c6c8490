"""The public API as text: the modules of torchlike/_api/generated, written from the operator table and signatures."""
