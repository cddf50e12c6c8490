"""What a user feels first, in fresh processes with an empty and with a filled cache: ``python -m benchmarks --first``."""
