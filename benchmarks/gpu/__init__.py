"""The programs that a GPU is for, under every engine. Nothing is fetched and nothing else is needed: `__main__.py`."""
