"""FORTIS: measure whether an agent takes more privilege than a request needs, with computed labels."""
