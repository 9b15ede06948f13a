"""mT5 (Xue et al. 2021): an encoder and a decoder of T5 (Raffel et al. 2020), of which MetricX takes one step.

block of the encoder:  x = x + attention(norm(x)); x = x + feed forward(norm(x))
block of the decoder:  the same, with attention to what the encoder made in between
norm:  x / sqrt(mean of x^2) g, without a mean and without a bias
feed forward:  W (gelu(U x) * V x)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError
from tertium.learned.layers import join_heads, split_heads
from tertium.learned.weights import Weights

if TYPE_CHECKING:
    from torch import Tensor


class Mt5:
    """Reads ids, and says what comes first after them."""

    def __init__(self, config: Mapping[str, Any], weights: Weights) -> None:
        if config.get("model_type") not in ("mt5", "t5"):
            raise InputError(f"{weights.name}: config.json says {config.get('model_type')!r}, expected an mT5")
        if config.get("feed_forward_proj", "gated-gelu") != "gated-gelu":
            raise InputError(f"{weights.name}: feed_forward_proj {config['feed_forward_proj']!r} is not mT5's")
        try:
            self.blocks: int = config["num_layers"]
            self.steps: int = config.get("num_decoder_layers") or config["num_layers"]
            self.heads: int = config["num_heads"]
        except KeyError as error:
            raise InputError(f"{weights.name}: config.json says no {error.args[0]}; is it an mT5's?") from None
        self.buckets: int = config.get("relative_attention_num_buckets", 32)
        self.distance: int = config.get("relative_attention_max_distance", 128)
        self.eps: float = config.get("layer_norm_epsilon", 1e-6)
        self.pad: int = config.get("pad_token_id") or 0
        self.begin: int = config.get("decoder_start_token_id") or 0
        self.weights = weights

    def logit(self, ids: Tensor, mask: Tensor, token: int) -> Tensor:
        """How much the decoder's first step speaks for a token. The terms are larger than their sum, which is therefore
        taken in double precision. # (b, n) -> (b,)"""
        x = self.decode(self.encode(ids, mask), mask)[:, 0]
        return (x.double() * (self.weights / "lm_head")["weight"][token].double()).sum(-1)

    def encode(self, ids: Tensor, mask: Tensor) -> Tensor:
        """# (b, n) -> (b, n, d)"""
        stack = self.weights / "encoder"
        x = (self.weights / "shared").embed(ids)
        bias = self.bias(ids.shape[1], stack / "block.0.layer.0.SelfAttention.relative_attention_bias")
        for number in range(self.blocks):
            first, second = (stack / f"block.{number}.layer.{k}" for k in range(2))
            normal = self.norm(x, first / "layer_norm")
            x = x + self.attend(normal, normal, mask, first / "SelfAttention", bias)
            x = x + self.feed_forward(self.norm(x, second / "layer_norm"), second / "DenseReluDense")
        return self.norm(x, stack / "final_layer_norm")

    def decode(self, memory: Tensor, mask: Tensor) -> Tensor:
        """One step. An only position attends to itself alone, whatever the bias. # (b, n, d) -> (b, 1, d)"""
        import torch

        stack = self.weights / "decoder"
        start = torch.full((len(memory), 1), self.begin, device=memory.device)
        x = (self.weights / "shared").embed(start)
        alone = torch.ones_like(start, dtype=torch.bool)
        for number in range(self.steps):
            first, second, third = (stack / f"block.{number}.layer.{k}" for k in range(3))
            normal = self.norm(x, first / "layer_norm")
            x = x + self.attend(normal, normal, alone, first / "SelfAttention")
            x = x + self.attend(self.norm(x, second / "layer_norm"), memory, mask, second / "EncDecAttention")
            x = x + self.feed_forward(self.norm(x, third / "layer_norm"), third / "DenseReluDense")
        return self.norm(x, stack / "final_layer_norm")

    def attend(self, x: Tensor, memory: Tensor, mask: Tensor, weights: Weights, bias: Tensor | None = None) -> Tensor:
        """Attention that is not scaled, with a bias for each distance; softmax in single precision."""
        query, key, value = (
            split_heads((weights / name).linear(side), self.heads)
            for name, side in (("q", x), ("k", memory), ("v", memory))
        )
        scores = query @ key.transpose(2, 3)
        if bias is not None:
            scores = scores + bias
        scores = scores.float().masked_fill(~mask[:, None, None, :], -math.inf)
        return (weights / "o").linear(join_heads(scores.softmax(-1).to(value.dtype) @ value))

    def bias(self, length: int, weights: Weights) -> Tensor:
        """One number for each head and bucket of distances: half of the buckets for what comes before, half for what
        comes after; near distances one by one, far ones by their logarithm. # (1, h, n, n)"""
        import torch

        table = weights["weight"]
        where = torch.arange(length, device=table.device)
        steps = where[None, :] - where[:, None]
        side = self.buckets // 2
        exact = side // 2
        far = steps.abs()
        growth = (far.clamp(min=1).float() / exact).log() / math.log(self.distance / exact) * (side - exact)
        bucket = torch.where(far < exact, far, (exact + growth.long()).clamp(max=side - 1)) + side * (steps > 0)
        return weights.embed(bucket).permute(2, 0, 1)[None]

    def feed_forward(self, x: Tensor, weights: Weights) -> Tensor:
        """A gated layer, with the gelu that is approximated by tanh."""
        from torch.nn.functional import gelu

        gate = gelu((weights / "wi_0").linear(x), approximate="tanh")
        return (weights / "wo").linear(gate * (weights / "wi_1").linear(x))

    def norm(self, x: Tensor, weights: Weights) -> Tensor:
        """Root mean square 1, then scaled; in single precision."""
        return weights["weight"] * (x * (x.square().mean(-1, keepdim=True) + self.eps).rsqrt())
