"""Names of JAX: which torchlike uses, with which keywords, and which releases of JAX have them.

``python -m compat.jax_names`` says which uses a supported release lacks. ``--write`` makes `table.txt` anew: it installs
each release of `VERSIONS` in a folder of its own and asks it there, so it needs the network, and a Python that all of them
support. `uses.py` reads the sources of torchlike, `examine.py` runs beside each release, `table.py` reads and writes the
table.
"""

VERSIONS = ("0.8.0", "0.9.0", "0.10.2", "0.11.2", "0.12.0.1")
