"""W x + b, where nearly all of the time of a network goes: by the fastest way that this processor and torch have."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    Product = Callable[[Tensor, Tensor, Tensor | None], Tensor]


def multiply(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """W x + b, or W x where there is no b; in the precision of the weights, which may be half.

    Processors have no arithmetic of float16: torch does it there, at a fifth of the speed of single precision. So on a
    CPU float16 is how weights are kept, and they are multiplied in single precision.
    """
    import torch
    from torch.nn.functional import linear

    if weight.device.type != "cpu" or weight.dtype == torch.bfloat16:
        return linear(x.to(weight.dtype), weight, None if bias is None else bias.to(weight.dtype))
    product = linear if torch.is_grad_enabled() else onednn() or linear
    return product(x.float(), weight.float(), bias)


@cache
def onednn() -> Product | None:
    """The product of oneDNN, which comes with torch; None where this torch has none.

    What torch calls in its place, MKL, does not use all of the processors of other makers: half of the speed on AMD's,
    as measured by benchmarks/comet.py. The name is not one that torch promises to keep, so it is tried out first.
    """
    import torch

    def product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        found: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
        return found

    try:
        with torch.inference_mode():
            one = torch.ones(1, 1)
            right = product(one, one, one[0]).item() == 2 and product(one, one, None).item() == 1
    except (AttributeError, RuntimeError, NotImplementedError):
        return None
    return product if right else None
