"""What pipes share: https://pytorch.org/docs/stable/data.html

`common.py` has the checks of functions, files and streams. `decoder.py` makes objects of the bytes of files, by the names of
the files. `snapshot.py` brings a pipe to where another one was.

Nothing here is exported: programs import the three modules.
"""
