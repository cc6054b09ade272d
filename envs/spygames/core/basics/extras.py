"""How to install an extra, for messages about a missing library."""


def how_to_install(extra: str) -> str:
    """Return the pip command that installs an extra, from an index and in a clone."""
    return f"pip install 'spygames[{extra}]' (in a clone: '.[{extra}]')"
