"""Frozen records that every room speaks of; no input, no output.

What `validate` needs is a NamedTuple, as is every record of `reading`: to import `dataclasses` and to
make thirty of them takes a quarter of the time of the whole command.
"""
