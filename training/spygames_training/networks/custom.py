"""Networks of anybody's: a torch module in the place of an `ActorCritic`'s layers.

Letters: n decisions, F features of a view, A actions.
"""

import copy
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from spygames.core.basics.text import one_line, shown
from spygames.core.game.game import Game
from spygames_training.config import Network, differences
from spygames_training.files.atomic import is_number
from spygames_training.networks.actor_critic import ActorCritic, make_network
from spygames_training.networks.custom_code import name_of_code
from spygames_training.networks.device import float32_by_default, usual_torch

Source = nn.Module | Callable[[Game], nn.Module]
"""A torch module, float32 observation [n, F] -> logits [n, A], of illegal actions too, and value [n]; or a function or
class that makes one for a game, with weights drawn from torch's generator."""

ROWS = 5
"""Observations that a module is tried on."""
CLOSE = 1e-3
"""How far apart answers may be that are the same but for rounding, as a part of the largest one."""


class OwnNetwork(ActorCritic):
    """An `ActorCritic` around somebody's module, with a value of the seat's own view and without memory.

    Args:
        game: what it plays.
        module: as `Source` says.
        name: of the module, for messages.
    """

    def __init__(self, game: Game, module: nn.Module, name: str):
        nn.Module.__init__(self)  # instead of ActorCritic's, which makes the layers that `module` stands for
        self.num_features, self.num_actions, self.hidden = game.num_features, game.num_actions, ()
        self.config, self.critic, self.memory_size, self.shaped = Network(), None, 0, False
        self.belief, self.beliefs, self.name = None, (), name
        self.trunk = _Joined(module)
        self.policy = _Columns(0, game.num_actions)
        self.value = _Columns(game.num_actions, game.num_actions + 1)

    def joined_heads(self) -> nn.Module:
        """What the module has answered, [n, A + 1], as it is."""
        return nn.Identity()

    def actor(self) -> dict[str, Tensor]:
        """All weights: which of them make the value is not known."""
        return self.state_dict()

    @torch.no_grad()
    def answers(self) -> list[float]:
        """Logits and value for one observation that is the same always: A + 1 numbers that tell whether another module
        with the same weights is the same function."""
        network = copy.deepcopy(self).cpu()
        return [float(f"{x:.6g}") for x in network.trunk(torch.from_numpy(_observations(self.num_features)[:1]))[0]]


def answers_of(network: ActorCritic) -> list[float] | None:
    """`OwnNetwork.answers`; None of a network of this package, which is the same function always."""
    return network.answers() if isinstance(network, OwnNetwork) else None


def check_answers(network: ActorCritic, saved: object) -> None:
    """ValueError if `answers_of` a network were others when its weights were saved."""
    now = answers_of(network)
    if now is None:
        return
    numbers = saved if isinstance(saved, list) and all(map(is_number, saved)) else []
    one, other = (torch.from_numpy(np.array(each, np.float64)) for each in (now, numbers))
    if one.shape != other.shape or not _close(one, other):
        raise ValueError(
            f"the network passed, {network.name}, is another one: with the same weights it does not answer as it did"
        )


class _Joined(nn.Module):
    """The answers of a module side by side: [n, F] -> [n, A + 1], the value last."""

    def __init__(self, module: nn.Module):
        super().__init__()
        self.module = module

    def forward(self, observation: Tensor) -> Tensor:
        logits, value = self.module(observation)
        return torch.cat([logits, value.reshape(-1, 1)], dim=1)


class _Columns(nn.Module):
    """Some of the columns."""

    def __init__(self, first: int, end: int):
        super().__init__()
        self.first, self.end = first, end

    def forward(self, answers: Tensor) -> Tensor:
        return answers[:, self.first : self.end]


def network_to_train(game: Game, config: Network, own: Source | None) -> ActorCritic:
    """A network for `game`, on the CPU: around `own`, or where that is None as `config` describes it.

    Raises:
        ValueError: `own` is none that the trainer can use, or settings would do nothing beside it.
    """
    if own is not None:
        if ignored := differences(config, Network(), "network."):
            raise ValueError(f"{ignored[0]} does nothing with a network of your own: leave it out")
        return make_own_network(own, game)
    return make_network(game, config)


def make_own_network(source: Source, game: Game) -> OwnNetwork:
    """A network for `game`, on the CPU, around a copy of a module, or a module that a function makes.

    Raises:
        ValueError: of one line: it is none that the trainer can use.
    """
    name = name_of_code(source)
    if not isinstance(source, nn.Module) and not callable(source):
        raise ValueError(f"a network is a torch module, or a function that makes one for a game, not {shown(source)}")
    try:
        with float32_by_default(), usual_torch():
            module = copy.deepcopy(source) if isinstance(source, nn.Module) else source(game)
    except Exception as error:  # a stranger's code may raise anything
        raise ValueError(f"the network {name} cannot be made: {type(error).__name__}: {one_line(error)}") from error
    if not isinstance(module, nn.Module):
        raise ValueError(f"{name} made no torch module for {game.id}, but {shown(module)}")
    network = OwnNetwork(game, module.cpu(), name)
    try:
        with usual_torch():
            _check(network)
    except _Unfit as error:
        raise ValueError(f"the network {name} {error}") from error.__cause__
    network.zero_grad(set_to_none=True)
    return network


class _Unfit(ValueError):
    """Why the trainer cannot use a module."""


def _check(network: OwnNetwork) -> None:
    """_Unfit for a module that answers in another form, or not by its weights and one observation at a time alone."""
    observations = torch.from_numpy(_observations(network.num_features))
    network.train()
    first = _ask(network, observations)
    if not bool(torch.isfinite(first).all()):
        raise _Unfit("gives what is no finite number")
    again, judging = _ask(network, observations), _ask(network.eval(), observations)
    network.train()
    if not _close(first, again) or not _close(first, judging):
        raise _Unfit(
            "answers otherwise while it learns, as with Dropout or BatchNorm: take layers without a mode, as LayerNorm"
        )
    if not _close(first[2:3], _ask(network, observations[2:3])):
        raise _Unfit("answers to one observation otherwise when others stand beside it")
    _check_weights(network)
    (first**2).sum().backward()
    for name, parameter in network.trunk.module.named_parameters():
        if parameter.grad is None:
            raise _Unfit(f"has a parameter {name} that takes no part in its answers or is frozen: make it a buffer")


def _ask(network: OwnNetwork, observations: Tensor) -> Tensor:
    """Logits and value, [n, A + 1]; _Unfit where the module gives something else."""
    n, actions = len(observations), network.num_actions
    wanted = f"logits [n, {actions}] and value [n] for an observation [n, {network.num_features}]"
    try:
        answer = network.trunk.module(observations)
    except Exception as error:  # a stranger's code may raise anything
        what = f"{type(error).__name__}: {one_line(error)}"
        raise _Unfit(f"fails: {what}; it must give {wanted}, for each n") from error
    if not isinstance(answer, tuple) or len(answer) != 2 or not all(isinstance(part, Tensor) for part in answer):
        raise _Unfit(f"must give {wanted}, not {type(answer).__name__}")
    logits, value = answer
    if logits.shape != (n, actions) or value.shape not in ((n,), (n, 1)):
        raise _Unfit(f"must give {wanted}, not {list(logits.shape)} and {list(value.shape)} for n = {n}")
    return torch.cat([logits, value.reshape(-1, 1)], dim=1)


def _check_weights(network: OwnNetwork) -> None:
    """_Unfit for a module without weights, or with others than float32, which checkpoints do not hold."""
    weights = network.trunk.module.state_dict()
    if not [*network.parameters()]:
        raise _Unfit("has no parameters, so there is nothing to learn")
    for name, tensor in weights.items():
        if tensor.dtype is not torch.float32:
            what = str(tensor.dtype).removeprefix("torch.")
            raise _Unfit(f"has {name} in {what}: weights are float32, and other buffers persistent=False")


def _close(one: Tensor, other: Tensor) -> bool:
    """Whether they differ by rounding alone."""
    return bool(((one - other).abs() <= CLOSE * max(1.0, float(one.detach().abs().max()))).all())


def _observations(features: int) -> np.ndarray:
    """Some that are the same always, float32 [ROWS, F], 0 to 1."""
    return np.random.default_rng(0).random((ROWS, features), np.float32)
