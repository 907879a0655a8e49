"""The only writer: redaction, the layout on disk, whole files."""
