"""`python -m evals.fortis`."""

import sys

from evals.fortis.cli import main

if __name__ == "__main__":
    sys.exit(main())
