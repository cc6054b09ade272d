"""Players from ONNX models: the player kind `onnx:MODEL.onnx`."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from spygames.core.basics.files import read_file
from spygames.core.basics.text import one_line, shown
from spygames.core.game.game import NOBODY, Game
from spygames.core.players.checkpoint import layout_hash
from spygames.core.players.names import PlayerName
from spygames.core.players.player import DecisionBatch, PlayerFailed
from spygames.core.players.sampling import draw_actions, temperature_of

__all__ = ["OnnxPlayer", "load_player"]

MAX_BYTES = 1 << 30
"""Maximum size of a model; the largest network that a run can have is smaller."""
_DTYPES = {"tensor(float)": np.float32, "tensor(int8)": np.int8, "tensor(bool)": np.bool_}


class OnnxPlayer:
    """An ONNX model as a `Player`. The file is data and runs no code of its own.

    Example:
        >>> from spygames_training import OnnxPlayer, export_onnx, load_checkpoint
        >>> checkpoint = load_checkpoint("agent_avenue/simple-2")
        >>> export_onnx(checkpoint, "simple-2.onnx")
        >>> OnnxPlayer(checkpoint.game, "simple-2.onnx", "argmax")
        OnnxPlayer(agent_avenue_v0, 'onnx:simple-2@argmax')

    Inputs: `observation` float32 [n, F], and `mask` int8, bool or float32 [n, A], 1 for legal actions. Output:
    `logits` float32 [n, A]. The model runs on one thread.

    Args:
        game: the game to play.
        path: the model file.
        how: "sample" (or ""), "argmax", or a temperature, as for checkpoints.

    Raises:
        ValueError: the file is not a model of this form or is for another game, or `how` is invalid.
    """

    def __init__(self, game: Game, path: str | Path, how: str = ""):
        self.game, self.path, self.how = game, Path(path), how
        self.temperature = temperature_of(how)
        self.name = f"onnx:{self.path.stem}@{how or 'sample'}"
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            model = read_file(self.path, MAX_BYTES)
            self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except OSError as error:
            raise ValueError(f"{one_line(path)} cannot be read: {error.strerror}") from None
        except Exception as error:  # onnxruntime's errors derive from Exception only
            raise ValueError(f"{one_line(path)} is not a valid ONNX model: {one_line(error)}") from None
        self.digest = sha256(model).hexdigest()[:16]
        """Digest of the file."""
        self._mask_dtype = self._check()

    def __reduce__(self) -> tuple[Any, ...]:
        return OnnxPlayer, (self.game, self.path, self.how)

    def __repr__(self) -> str:
        return f"OnnxPlayer({self.game.id}, {self.name!r})"

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return a legal action for each of `decisions.rows`, int64 [k]; PlayerFailed if the logits are not finite."""
        d = decisions
        given = {"observation": d.observation[d.rows], "mask": d.mask[d.rows].astype(self._mask_dtype)}
        try:
            found: Any = self._session.run(["logits"], given)[0]
        except Exception as error:  # as in the constructor
            raise PlayerFailed(self.name, NOBODY, d.rows.tolist(), "failed", one_line(error)) from None
        try:
            with np.errstate(all="ignore"):  # values too large for float32 become infinite and are rejected below
                logits = np.asarray(found, np.float32)
        except (TypeError, ValueError):
            logits = np.empty(0)
        if logits.shape != (len(d.rows), d.mask.shape[1]):
            what = f"answered logits of shape {logits.shape}, not {(len(d.rows), d.mask.shape[1])}"
            raise PlayerFailed(self.name, NOBODY, d.rows.tolist(), what)
        bad = d.rows[~np.isfinite(np.where(d.mask[d.rows] != 0, logits, 0)).all(axis=1)]
        if len(bad):
            seat = int(d.states["to_move"][bad[0]])
            raise PlayerFailed(self.name, seat, bad.tolist(), "answered logits that are not finite")
        return draw_actions(logits, d.mask, d.rng, d.rows, self.temperature)

    def _check(self) -> Any:
        """Return the mask's dtype; ValueError if the inputs, the outputs or the game are not the expected ones."""
        game, session = self.game, self._session
        inputs = {each.name: each for each in session.get_inputs()}
        outputs = [each.name for each in session.get_outputs()]
        if set(inputs) != {"observation", "mask"} or "logits" not in outputs:
            raise ValueError(
                f"{one_line(self.path)} must have the inputs observation and mask and the output logits, not "
                f"{shown(sorted(inputs))} and {shown(outputs)}"
            )
        for name, width in (("observation", game.num_features), ("mask", game.num_actions)):
            form = inputs[name].shape  # empty for a scalar, and for an input of unknown rank
            if len(form) != 2 or isinstance(form[0], int) or (isinstance(form[1], int) and form[1] != width):
                right = f"[n, {width}] in {game.title}"
                raise ValueError(f"{one_line(self.path)}: {name} must be {right}, not {shown(form)}")
        kinds = inputs["observation"].type, inputs["mask"].type
        if kinds[0] != "tensor(float)" or kinds[1] not in _DTYPES:
            raise ValueError(
                f"{one_line(self.path)}: observation must be float32, mask int8, bool or float32, not {shown(kinds)}"
            )
        noted = session.get_modelmeta().custom_metadata_map
        if noted.get("game", game.id) != game.id or noted.get("layout", layout_hash(game)) != layout_hash(game):
            raise ValueError(
                f"{one_line(self.path)} is for {one_line(noted.get('game', 'another game'))} in another variant or "
                f"version, not for {game.title}"
            )
        return _DTYPES[kinds[1]]


def load_player(game: Game, argument: str) -> OnnxPlayer:
    """Make the player `onnx:FILE[@HOW]`; `make_player` calls this for the kind `onnx`. Errors as in `OnnxPlayer`."""
    name = PlayerName.parse(argument)
    if not name.source:
        raise ValueError(f"{shown(f'onnx:{argument}')} must name a file, as in onnx:FILE")
    return OnnxPlayer(game, name.source, name.play)
