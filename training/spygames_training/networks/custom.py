"""Custom networks: a user's torch module in place of an `ActorCritic`'s layers.

Letters: n decisions, F features of a view, A actions.
"""

import copy
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from spygames.core.basics.json_values import is_number
from spygames.core.basics.text import one_line, shown
from spygames.core.game.game import Game
from spygames_training.config import Network, differences
from spygames_training.networks.actor_critic import ActorCritic, make_network
from spygames_training.networks.custom_code import name_of_code
from spygames_training.networks.device import float32_by_default, usual_torch

Source = nn.Module | Callable[[Game], nn.Module]
"""A torch module: float32 observation [n, F] -> logits [n, A], illegal actions included, and value [n]. Or a function
or class that makes such a module for a game, with weights drawn from torch's generator."""

ROWS = 5
"""Number of observations on which a module is tested."""
CLOSE = 1e-3
"""Tolerance for rounding when two outputs are compared, relative to the largest output."""


class OwnNetwork(ActorCritic):
    """An `ActorCritic` around a user's module, with a value of the seat's own view and without memory.

    Args:
        game: the game that the network plays.
        module: see `Source`.
        name: of the module, for messages.
    """

    def __init__(self, game: Game, module: nn.Module, name: str):
        nn.Module.__init__(self)  # not ActorCritic.__init__, which would make the layers that `module` replaces
        self.num_features, self.num_actions, self.hidden = game.num_features, game.num_actions, ()
        self.config, self.critic, self.memory_size, self.shaped = Network(), None, 0, False
        self.belief, self.beliefs, self.name = None, (), name
        self.trunk = _Joined(module)
        self.policy = _Columns(0, game.num_actions)
        self.value = _Columns(game.num_actions, game.num_actions + 1)

    def joined_heads(self) -> nn.Module:
        """Return the identity: the module's output, [n, A + 1], is logits and value already."""
        return nn.Identity()

    def actor(self) -> dict[str, Tensor]:
        """Return all weights: which of them belong to the value is not known."""
        return self.state_dict()

    @torch.no_grad()
    def answers(self) -> list[float]:
        """Return logits and value for one fixed observation: A + 1 numbers.

        They show whether another module with the same weights computes the same function.
        """
        network = copy.deepcopy(self).cpu()
        return [float(f"{x:.6g}") for x in network.trunk(torch.from_numpy(_observations(self.num_features)[:1]))[0]]


def answers_of(network: ActorCritic) -> list[float] | None:
    """Return `OwnNetwork.answers`, or None for a network of this package, whose function is known."""
    return network.answers() if isinstance(network, OwnNetwork) else None


def check_answers(network: ActorCritic, saved: object) -> None:
    """Raise ValueError if `answers_of(network)` differs from the answers that were saved with the weights."""
    now = answers_of(network)
    if now is None:
        return
    numbers = saved if isinstance(saved, list) and all(map(is_number, saved)) else []
    one, other = (torch.from_numpy(np.array(each, np.float64)) for each in (now, numbers))
    if one.shape != other.shape or not _close(one, other):
        raise ValueError(
            f"the network {network.name} must be the one that the weights were saved with: with these weights its "
            "outputs differ from the saved ones"
        )


class _Joined(nn.Module):
    """A module's outputs as one array: [n, F] -> [n, A + 1], the value last."""

    def __init__(self, module: nn.Module):
        super().__init__()
        self.module = module

    def forward(self, observation: Tensor) -> Tensor:
        logits, value = self.module(observation)
        return torch.cat([logits, value.reshape(-1, 1)], dim=1)


class _Columns(nn.Module):
    """Select the columns from `first` to `end` - 1."""

    def __init__(self, first: int, end: int):
        super().__init__()
        self.first, self.end = first, end

    def forward(self, answers: Tensor) -> Tensor:
        return answers[:, self.first : self.end]


def network_to_train(game: Game, config: Network, own: Source | None) -> ActorCritic:
    """Make a network for `game` on the CPU: around `own`, or as `config` describes if `own` is None.

    Raises:
        ValueError: the trainer cannot use `own`, or a setting of `config` would be ignored because of it.
    """
    if own is not None:
        if ignored := differences(config, Network(), "network."):
            raise ValueError(f"{ignored[0]} has no effect on a custom network: leave it out")
        return make_own_network(own, game)
    return make_network(game, config)


def make_own_network(source: Source, game: Game) -> OwnNetwork:
    """Make a network for `game` on the CPU, around a copy of a module or around the module that a function makes.

    Raises:
        ValueError: the trainer cannot use the module; one line.
    """
    name = name_of_code(source)
    if not isinstance(source, nn.Module) and not callable(source):
        raise ValueError(f"network must be a torch module or a function that makes one for a game, not {shown(source)}")
    try:
        with float32_by_default(), usual_torch():
            module = copy.deepcopy(source) if isinstance(source, nn.Module) else source(game)
    except Exception as error:  # user code may raise anything
        raise ValueError(f"the network {name} could not be made: {type(error).__name__}: {one_line(error)}") from error
    if not isinstance(module, nn.Module):
        raise ValueError(f"{name} must make a torch module for {game.id}, not {shown(module)}")
    network = OwnNetwork(game, module.cpu(), name)
    try:
        with usual_torch():
            _check(network)
    except _Unfit as error:
        raise ValueError(f"the network {name} {error}") from error.__cause__
    network.zero_grad(set_to_none=True)
    return network


class _Unfit(ValueError):
    """The reason why the trainer cannot use a module; it completes the sentence "the network NAME ..."."""


def _check(network: OwnNetwork) -> None:
    """Test whether the trainer can use a module.

    Raises:
        _Unfit: its outputs have the wrong form, are not finite, depend on more than the weights and one observation, or
            do not use all parameters. Or its weights are not float32.
    """
    observations = torch.from_numpy(_observations(network.num_features))
    network.train()
    first = _ask(network, observations)
    if not bool(torch.isfinite(first).all()):
        raise _Unfit("must give finite numbers, not NaN or infinity")
    again, judging = _ask(network, observations), _ask(network.eval(), observations)
    network.train()
    if not _close(first, again) or not _close(first, judging):
        raise _Unfit(
            "gives different outputs in training mode, as with Dropout or BatchNorm: use layers without a mode, "
            "such as LayerNorm"
        )
    if not _close(first[2:3], _ask(network, observations[2:3])):
        raise _Unfit("gives different outputs for the same observation in another batch: do not mix rows")
    _check_weights(network)
    (first**2).sum().backward()
    for name, parameter in network.trunk.module.named_parameters():
        if parameter.grad is None:
            raise _Unfit(f"has a parameter {name} that its outputs do not use or that is frozen: make it a buffer")


def _ask(network: OwnNetwork, observations: Tensor) -> Tensor:
    """Return logits and value, [n, A + 1]. Raises _Unfit if the module returns something else."""
    n, actions = len(observations), network.num_actions
    wanted = f"logits [n, {actions}] and value [n] for an observation [n, {network.num_features}]"
    try:
        answer = network.trunk.module(observations)
    except Exception as error:  # user code may raise anything
        what = f"{type(error).__name__}: {one_line(error)}"
        raise _Unfit(f"failed: {what}; it must give {wanted}, for any n") from error
    if not isinstance(answer, tuple) or len(answer) != 2 or not all(isinstance(part, Tensor) for part in answer):
        raise _Unfit(f"must give {wanted}, not {type(answer).__name__}")
    logits, value = answer
    if logits.shape != (n, actions) or value.shape not in ((n,), (n, 1)):
        raise _Unfit(f"must give {wanted}, not {list(logits.shape)} and {list(value.shape)} for n = {n}")
    return torch.cat([logits, value.reshape(-1, 1)], dim=1)


def _check_weights(network: OwnNetwork) -> None:
    """Raise _Unfit for a module without parameters, or with weights that are not float32, which checkpoints cannot
    hold."""
    weights = network.trunk.module.state_dict()
    if not [*network.parameters()]:
        raise _Unfit("must have parameters to learn, and has none")
    for name, tensor in weights.items():
        if tensor.dtype is not torch.float32:
            what = str(tensor.dtype).removeprefix("torch.")
            raise _Unfit(f"has {name} in {what}: weights must be float32, and other buffers persistent=False")


def _close(one: Tensor, other: Tensor) -> bool:
    """Whether two outputs differ by rounding only."""
    return bool(((one - other).abs() <= CLOSE * max(1.0, float(one.detach().abs().max()))).all())


def _observations(features: int) -> np.ndarray:
    """Return fixed observations, float32 [ROWS, F], from 0 to 1."""
    return np.random.default_rng(0).random((ROWS, features), np.float32)
