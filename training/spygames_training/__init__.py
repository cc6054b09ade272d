"""Training agents on the games of `spygames` by self-play, keeping them, and finding out how well they play."""

from importlib.util import find_spec

if find_spec("torch") is None:
    raise ModuleNotFoundError(
        "spygames_training needs torch, which the extra brings: pip install '.[training]' in a clone of spygames",
        name="torch",
    )
