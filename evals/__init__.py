"""The evaluation harness, its adapters, the FORTIS benchmark and their tests."""
