"""Campaigns: very many cases of one kind, drawn by chance, for as long as one likes; see `python -m tests.campaigns --help`.

A campaign is a module with a function ``run(seed, deadline)`` that returns a `report.Report`; `__main__.py` lists them. Its
tests run a bounded sample with a fixed seed.
"""
