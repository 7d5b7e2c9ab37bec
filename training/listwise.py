"""Train a network of one hidden layer that ranks the rows of a list, several seeds averaged."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

HIDDEN = 16
Examples = list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]
Numbers = dict[str, Any]


def fit(examples: Examples, epochs: int, seed: int, decay: float = 0.02) -> Numbers:
    """Raise the share of the right rows in the softmax over the rows of each list.

    examples: for each list its rows, (rows, features), and which of them are right, (rows,).
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    every = np.concatenate([rows for rows, _ in examples])
    mean, scale = every.mean(0), every.std(0) + 1e-3
    width, columns = max(len(rows) for rows, _ in examples), every.shape[1]
    data = torch.zeros(len(examples), width, columns)
    right = torch.zeros(len(examples), width)
    real = torch.zeros(len(examples), width, dtype=torch.bool)
    for place, (rows, hit) in enumerate(examples):
        scaled = ((rows - mean) / scale).clip(-6, 6).astype(np.float32)
        data[place, : len(rows)] = torch.from_numpy(scaled)
        right[place, : len(rows)] = torch.from_numpy(hit.astype(np.float32))
        real[place, : len(rows)] = True
    hidden = torch.nn.Linear(columns, HIDDEN)
    output = torch.nn.Linear(HIDDEN, 1, bias=False)
    skip = torch.nn.Linear(columns, 1, bias=False)
    weights = [*hidden.parameters(), *output.parameters(), *skip.parameters()]
    adam = torch.optim.AdamW(weights, lr=1e-2, weight_decay=decay)
    for epoch in range(epochs):
        total = 0.0
        for batch in np.array_split(rng.permutation(len(examples)), max(len(examples) // 128, 1)):
            x = data[batch]
            logits = (output(torch.tanh(hidden(x))) + skip(x)).squeeze(-1)
            logits = logits.masked_fill(~real[batch], -1e9)
            wanted = torch.logsumexp(logits.masked_fill(right[batch] == 0, -1e9), 1)
            loss = (torch.logsumexp(logits, 1) - wanted).mean()
            adam.zero_grad()
            loss.backward()
            adam.step()
            total += loss.item() * len(batch)
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1}: loss {total / len(examples):.4f}", flush=True)
    return {
        "mean": mean,
        "scale": scale,
        "hidden": hidden.weight.detach().numpy().T,
        "hidden_bias": hidden.bias.detach().numpy(),
        "output": output.weight.detach().numpy()[0],
        "skip": skip.weight.detach().numpy()[0],
    }


def averaged(models: Sequence[Numbers]) -> Numbers:
    """Return one model whose logits are the mean of those of models of the same examples."""
    arrays = {
        "hidden": np.concatenate([model["hidden"] for model in models], axis=1),
        "hidden_bias": np.concatenate([model["hidden_bias"] for model in models]),
        "output": np.concatenate([model["output"] for model in models]) / len(models),
        "skip": np.mean([model["skip"] for model in models], axis=0),
    }
    return {**models[0], **arrays}


def rounded(model: Numbers) -> Numbers:
    """Return a model as JSON holds it: lists of numbers with five digits."""
    return {name: np.round(np.asarray(values, float), 5).tolist() for name, values in model.items()}
