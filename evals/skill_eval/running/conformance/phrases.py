"""Words that nobody can guess, and the texts of skills and instructions that hold them."""

from secrets import choice

_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_SYLLABLES = 8


def new_word() -> str:
    """Return a random word of 16 letters, about 49 bits: a model can repeat it, and nobody says it by chance."""
    return "".join(choice(_CONSONANTS) + choice(_VOWELS) for _ in range(_SYLLABLES))


def skill_text(name: str, thing: str, word: str) -> str:
    """Return a SKILL.md that an agent wants to read when it is asked for `thing`."""
    description = f"Knows the {thing}. Use this skill whenever the {thing} is asked for."
    return f"---\nname: {name}\ndescription: {description}\n---\n\nThe {thing} is {word}. Reply with it.\n"


def instruction_text(thing: str, word: str) -> str:
    """Return instructions such as stand in an AGENTS.md."""
    return f"# Instructions\n\nThe {thing} is {word}. End every answer with it.\n"


def repeat(word: str) -> str:
    """Return a prompt that every agent answers with `word`."""
    return f"Remember this word for later: {word}\nRepeat this word, and nothing else: {word}"


def ask_for(thing: str) -> str:
    """Return a prompt that is answered by a skill or instructions that know `thing`."""
    return f"What is the {thing}? Reply with that word alone, or with `unknown` if nothing here tells you."
