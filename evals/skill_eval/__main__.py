"""`python -m evals.skill_eval`."""

import sys

from evals.skill_eval.cli import main

if __name__ == "__main__":
    sys.exit(main())
