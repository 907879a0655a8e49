"""`schema`: the JSON Schema of a file that users write or of a message that adapters exchange."""

from argparse import ArgumentParser, Namespace

from evals.skill_eval.commands.console import Console

NAMES = ("evals", "request", "response", "benchmark", "certificate")

EXIT_CODES = "exit codes: 0 done, 2 wrong usage"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the one argument of `schema`."""
    parser.add_argument("name", choices=NAMES, metavar="NAME", help=f"one of {', '.join(NAMES)}")


def main(args: Namespace, out: Console) -> int:
    """Print the schema, which also works from a zip file."""
    from importlib.resources import files

    schema = files("evals").joinpath("schemas", f"{args.name}.schema.json")
    out.result(schema.read_text(encoding="utf-8").rstrip("\n"))
    return 0
