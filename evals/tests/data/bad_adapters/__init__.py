"""Adapters with one fault each, for `test_adapter_check`."""
