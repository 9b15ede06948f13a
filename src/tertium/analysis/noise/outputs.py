"""The outputs that are noised, the noises that can be used on them, and pairs of an output before and after."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tertium.analysis.noise.kinds import USUAL, Material, Noise, parse_noises
from tertium.analysis.noise.selection import plan
from tertium.analysis.noise.words import AIMS, Words
from tertium.core.errors import InputError, OptionError, TertiumError
from tertium.core.lines import Lines
from tertium.core.metric import choose
from tertium.core.system import System, check_lengths
from tertium.core.testset import References, TestSet
from tertium.inference.seeds import SEED
from tertium.text.tokenizers import kernel_tokenize
from tertium.text.words import Reading

RATES = (0.05, 0.1, 0.2, 0.3)
SEEDS = 5
ON = ("outputs", "references")
LONG = 15  # characters of an average word where spaces do not separate words


class NoiseInput(NamedTuple):
    """A test set, outputs and what noises draw on, all read the same way."""

    testset: TestSet
    system: System
    given: Material


def read_noise_input(
    testset: TestSet, system: System | Sequence[str | None] | None, *, on: str = "outputs", tokenize: str = "none"
) -> NoiseInput:
    """The outputs, or the first references as if a system had said them; all texts tokenised if that is asked for."""
    choose("stress", "on", on, ON)
    reading = Reading(tokenize)
    reading.check("stress")
    if not testset.has_texts:
        raise InputError(f"test set {testset.name} was saved without its texts, and noise is for texts")
    if on == "references":
        if not testset.references.streams:
            raise InputError(f"test set {testset.name} has no references to noise (--ref FILE)")
        system = System(name="reference", outputs=testset.references.streams[0])
    elif system is None:
        raise OptionError("no system to noise; name one")
    elif not isinstance(system, System):
        system = System(name="system", outputs=Lines.of(system, "outputs"))
    check_lengths(system, testset)
    if system.outputs.withheld is not None:
        raise InputError(f"system {system.name} was saved without its texts, and noise is for texts")
    if tokenize != "none":
        system = replace(system, outputs=_tokenised(system.outputs, reading))
        streams = tuple(_tokenised(stream, reading) for stream in testset.references.streams)
        sources = None if testset.sources is None else _tokenised(testset.sources, reading)
        testset = replace(testset, references=References(streams, len(testset)), sources=sources)
    words = Words.of(system.outputs)
    if not len(words):
        raise InputError(f"system {system.name} has only empty outputs: there is no word to noise")
    return NoiseInput(testset, system, Material(words, testset.sources, testset.target_language))


def _tokenised(lines: Lines, reading: Reading) -> Lines:
    return kernel_tokenize(reading.outputs(lines), reading.kernel_name)


def check_rates(rates: Iterable[float]) -> tuple[float, ...]:
    """Shares from above 0 to 1, rising."""
    found = tuple(float(rate) for rate in rates)
    if not found or not all(0 < rate <= 1 for rate in found) or list(found) != sorted(set(found)):
        shown = ", ".join(f"{rate:g}" for rate in found) or "none"
        raise OptionError(f"rates {shown}: must rise, above 0 and up to 1, such as 0.05, 0.1, 0.2, 0.3")
    return found


def check_aims(aims: str | Iterable[str]) -> tuple[str, ...]:
    """Aims from a list or a text with commas; doubles are dropped."""
    words = aims.split(",") if isinstance(aims, str) else aims
    found = tuple(dict.fromkeys(word.strip() for word in words))
    for aim in found:
        if aim not in AIMS:
            raise OptionError(f"aim {aim!r} is unknown; choose from {', '.join(AIMS)}")
    if not found:
        raise OptionError(f"no aim; choose from {', '.join(AIMS)}")
    return found


def check_seeds(seeds: int, seed: int) -> tuple[int, ...]:
    """So many seeds, from the first on."""
    if seeds < 1 or seed < 0:
        raise OptionError(f"seeds={seeds}, seed={seed}: at least one seed, from 0 on")
    return tuple(range(seed, seed + seeds))


def usable_noises(
    noise_input: NoiseInput, noises: str | Noise | Iterable[str | Noise] | None, notes: list[str]
) -> tuple[Noise, ...]:
    """The noises asked for, or all for which there is what they need; notes say which ones find nothing to touch."""
    wanted = parse_noises(USUAL if noises is None else noises)
    found = []
    for noise in wanted:
        try:
            able = len(plan(noise, noise_input.given).order)
        except TertiumError as error:
            if noises is not None:
                raise
            notes.append(f"{noise} is left out: {error}")
            continue
        if able:
            found.append(noise)
        else:
            notes.append(f"{noise} is left out: there is no word that it can touch")
    words = noise_input.given.words
    if sum(map(len, words.texts)) > LONG * len(words):
        notes.append("words are very long: where spaces do not separate them, tokenise first (such as --tokenize zh)")
    if not found:
        raise OptionError("; ".join(notes) or "no noise; name at least one, such as delete")
    return tuple(found)


@dataclass(frozen=True, kw_only=True)
class NoisedPair:
    """An output and the same output damaged, by how much: what a learned metric can be trained on."""

    segment: str
    system: str
    source: str | None
    references: tuple[str, ...]
    output: str
    noised: str
    noise: str
    aim: str
    rate: float
    seed: int
    touched: int  # words of this segment that were touched
    words: int  # words that the output has

    @property
    def severity(self) -> float:
        """The share of the output's words that were touched."""
        return self.touched / self.words if self.words else math.nan


def noised_pairs(
    testset: TestSet,
    system: System | Sequence[str | None] | None,
    *,
    noises: str | Noise | Iterable[str | Noise] | None = None,
    aims: str | Iterable[str] = "random",
    rates: Iterable[float] = RATES,
    seeds: int = SEEDS,
    seed: int = SEED,
    on: str = "outputs",
    tokenize: str = "none",
) -> Iterator[NoisedPair]:
    """Every output that a noise touches, beside what it was.

    A segment comes again at a higher rate only if more of its words are touched there.
    """
    rates, aims, numbers = check_rates(rates), check_aims(aims), check_seeds(seeds, seed)
    noise_input = read_noise_input(testset, system, on=on, tokenize=tokenize)
    for noise in usable_noises(noise_input, noises, []):
        for aim in aims:
            for number in numbers:
                yield from _pairs(noise_input, noise, aim, rates, number)


def _pairs(noise_input: NoiseInput, noise: Noise, aim: str, rates: Sequence[float], seed: int) -> Iterator[NoisedPair]:
    testset, words = noise_input.testset, noise_input.given.words
    chosen = plan(noise, noise_input.given, aim, seed)
    before: dict[int, int] = {}
    for rate in rates:
        noised = chosen.noised(rate)
        for segment, text, touched in zip(noised.segments.tolist(), noised.texts, noised.counts.tolist(), strict=True):
            if before.get(segment) == touched:
                continue
            before[segment] = touched
            yield NoisedPair(
                segment=str(segment + 1) if testset.ids is None else testset.ids[segment],
                system=noise_input.system.name,
                source=None if testset.sources is None else testset.sources[segment],
                references=tuple(str(text) for text in testset.references[segment]),
                output=str(noise_input.system.outputs[segment]),
                noised=text,
                noise=str(noise),
                aim=aim,
                rate=rate,
                seed=seed,
                touched=touched,
                words=int(words.lengths[segment]),
            )
