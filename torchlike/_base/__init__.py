"""Facts that everything else builds on: dtypes, devices, sizes, errors, settings. Imports nothing else of torchlike."""
