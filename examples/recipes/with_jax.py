#!/usr/bin/env python3
"""JAX: batches of an ofindex.Loader are numpy arrays, which device_put copies while earlier steps still compute.

    examples/recipes/with_jax.py quickstart-data/digits [--resume]

Needs ofindex and jax.
"""

from __future__ import annotations

import pickle

import jax
import jax.numpy as jnp
import ofindex
from digits import FEATURES, Run, rest_of

Weights = list[jax.Array]


def loss_of(weights: Weights, image: jax.Array, label: jax.Array) -> jax.Array:
    logits = jax.nn.log_softmax(jax.nn.relu(image / 16 @ weights[0]) @ weights[1])
    return -jnp.take_along_axis(logits, label[:, None], axis=1).mean()


@jax.jit
def train(weights: Weights, image: jax.Array, label: jax.Array) -> tuple[Weights, jax.Array]:
    loss, slopes = jax.value_and_grad(loss_of)(weights, image, label)
    return [weight - 0.1 * slope for weight, slope in zip(weights, slopes, strict=True)], loss


def main() -> None:
    run = Run()
    loader = ofindex.Loader(run.dataset, FEATURES, run.batch_size, seed=0)
    keys = jax.random.split(jax.random.key(0))
    weights = [jax.random.normal(keys[0], (64, 128)) / 8, jax.random.normal(keys[1], (128, 10)) / 12]
    step = 0
    if last := run.last_checkpoint():
        step, weights, state = pickle.loads((last[1] / "state.pickle").read_bytes())
        loader.load_state_dict(state)
    for batch in rest_of(loader, run.epochs):
        step += 1
        image, label = jax.device_put((batch["image"], batch["label"]))
        weights, loss = train(weights, image, label)
        run.report(step, loss, batch["image"])
        if step % run.save_every == 0:
            with run.checkpoint(step) as folder:
                (folder / "state.pickle").write_bytes(pickle.dumps((step, weights, loader.state_dict())))


if __name__ == "__main__":
    main()
