"""What networks are made of, as functions of tensors and weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tertium.core.errors import InputError
from tertium.learned.weights import Weights

if TYPE_CHECKING:
    from torch import Tensor


def attention(x: Tensor, memory: Tensor, mask: Tensor, weights: Weights, heads: int) -> Tensor:
    """Scaled dot-product attention (Vaswani et al. 2017). # (b, n, d), (b, m, d), (b, m) -> (b, n, d)"""
    from torch.nn.functional import scaled_dot_product_attention

    query, key, value = (
        split_heads((weights / name).linear(side), heads)
        for name, side in (("query", x), ("key", memory), ("value", memory))
    )
    return join_heads(scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None, :]))


def split_heads(x: Tensor, heads: int) -> Tensor:
    """# (b, n, h d) -> (b, h, n, d)"""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def join_heads(x: Tensor) -> Tensor:
    """# (b, h, n, d) -> (b, n, h d)"""
    return x.transpose(1, 2).flatten(2)


def activation(name: str, where: str) -> Callable[[Tensor], Tensor]:
    """The function of a name that a file gives."""
    import torch

    functions: dict[str, Callable[[Tensor], Tensor]] = {
        "gelu": torch.nn.functional.gelu,
        "gelu_new": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
        "relu": torch.relu,
        "sigmoid": torch.sigmoid,
        "tanh": torch.tanh,
    }
    if name.lower() not in functions:
        raise InputError(f"{where}: the activation {name!r} is not known; known: {', '.join(functions)}")
    return functions[name.lower()]


def sparsemax(x: Tensor) -> Tensor:
    """Weights that sum to 1 and may be 0 (Martins and Astudillo 2016). # (n,) -> (n,)"""
    import torch

    ordered = x.sort(descending=True).values
    ranks = torch.arange(1, len(x) + 1, dtype=x.dtype, device=x.device)
    thresholds = (ordered.cumsum(0) - 1) / ranks
    support = int((ordered > thresholds).sum())
    return (x - thresholds[support - 1]).clamp(min=0)
