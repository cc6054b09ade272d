"""A training run that reports to Weights & Biases, MLflow or Optuna (docs/open_trainer.md)."""

from dataclasses import asdict, replace

import mlflow
import optuna
import wandb

from spygames_training import PPO, Config, Network, Run, train

CONFIG = Config(decisions=20_000, network=Network(hidden=(32,)), ppo=PPO(games=64), evaluate_against=("greedy",))


def with_wandb() -> None:
    wandb.init(project="spygames", config=asdict(CONFIG))
    train(CONFIG, "runs/wandb", callbacks=[lambda run, metrics: wandb.log(metrics, step=int(metrics["decisions"]))])


def with_mlflow() -> None:
    def log(run: Run, metrics: dict[str, float]) -> None:
        mlflow.log_metrics(metrics, step=int(metrics["decisions"]))

    with mlflow.start_run():
        mlflow.log_params({"seed": CONFIG.seed, **asdict(CONFIG.ppo)})
        train(CONFIG, "runs/mlflow", callbacks=[log])


def objective(trial: optuna.Trial) -> float:
    entropy = trial.suggest_float("entropy", 0.01, 0.3, log=True)
    config = replace(CONFIG, ppo=replace(CONFIG.ppo, entropy=entropy))
    share = 0.0

    def report(run: Run, metrics: dict[str, float]) -> None:
        nonlocal share
        if run.learner.updates % 2 == 0 or run.finished:
            share = run.evaluate()["win_share/greedy"]
            trial.report(share, step=run.learner.updates)
            if trial.should_prune():
                raise optuna.TrialPruned

    train(config, f"runs/trial_{trial.number}", callbacks=[report], progress=False)
    return share
