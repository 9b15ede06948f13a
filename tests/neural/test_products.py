"""W x + b by every way there is, with float64 as judge."""

from typing import Any

import pytest

from tertium.learned import products
from tertium.learned.weights import cast

pytestmark = pytest.mark.neural

EPS = {"float32": 1e-6, "float16": 1e-6, "bfloat16": 3e-2}  # on a CPU float16 is only how weights are kept


@pytest.fixture
def sides() -> tuple[Any, Any, Any]:
    """x, W and b. # (2, 5, 48), (32, 48), (32,)"""
    import torch

    source = torch.Generator().manual_seed(3)
    x, weight, bias = (torch.randn(shape, generator=source) for shape in ((2, 5, 48), (32, 48), (32,)))
    return x, weight / 48**0.5, bias


def judged(x: Any, weight: Any, bias: Any) -> Any:
    product = x.double() @ weight.double().T
    return product if bias is None else product + bias.double()


@pytest.mark.parametrize("precision", EPS)
@pytest.mark.parametrize("with_bias", [True, False])
def test_products(sides: tuple[Any, Any, Any], precision: str, with_bias: bool) -> None:
    import torch

    x, weight, bias = sides
    weight, bias = weight.to(getattr(torch, precision)), bias if with_bias else None
    with torch.inference_mode():
        found = products.multiply(x, weight, bias)
    assert found.shape == (2, 5, 32)
    assert (found - judged(x, weight, bias)).abs().max() < EPS[precision]


def test_where_torch_has_no_onednn_its_own_product_is_taken(
    sides: tuple[Any, Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    class Gone:
        def __getattr__(self, name: str) -> Any:
            raise AttributeError(name)

    products.onednn.cache_clear()
    monkeypatch.setattr(torch.ops, "mkldnn", Gone())
    try:
        assert products.onednn() is None
        with torch.inference_mode():
            assert (products.multiply(*sides) - judged(*sides)).abs().max() < 1e-6
    finally:
        products.onednn.cache_clear()


def test_a_product_of_another_meaning_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    products.onednn.cache_clear()
    monkeypatch.setattr(torch.ops, "mkldnn", type("Other", (), {"_linear_pointwise": staticmethod(lambda x, *_: x)}))
    try:
        assert products.onednn() is None
    finally:
        products.onednn.cache_clear()


def test_gradients_come_through(sides: tuple[Any, Any, Any]) -> None:
    x, weight, bias = sides
    weight.requires_grad_()
    products.multiply(x, weight, bias).sum().backward()
    assert (weight.grad - x.sum((0, 1))).abs().max() < 1e-5


def test_vectors_stay_in_single_precision() -> None:
    import torch

    tensors = {"weight": torch.ones(2, 2), "bias": torch.ones(2), "ids": torch.ones(2, dtype=torch.int64)}
    kinds = {name: tensor.dtype for name, tensor in cast(tensors, "m", "float16", "cpu").tensors.items()}
    assert kinds == {"weight": torch.float16, "bias": torch.float32, "ids": torch.int64}
