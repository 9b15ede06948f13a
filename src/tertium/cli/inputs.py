"""What commands read: the test set and the systems that the command line names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tertium.cli.parameters import argument, option, parameters
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.system import System

if TYPE_CHECKING:
    from tertium.io.columns import Opener

Read = Callable[[Sequence[str]], Sequence[System]]  # systems from more files
Choose = Callable[[Sequence[System], Read], Sequence[System]]


def all_or_piped(systems: Sequence[System], read: Read) -> Sequence[System]:
    """Every system that is named; where none is, the one on standard input."""
    return systems or read(["-"])


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The same words for every command that counts."""

    testset: str | None = argument(required=False, metavar="[TESTSET]")
    src: str | None = option("-s", "--src", metavar="FILE", help="Source, one segment per line.")
    refs: tuple[str, ...] = option("-r", "--ref", multiple=True, metavar="FILE",
                                   help="References; repeat for more than one.")  # fmt: skip
    hyps: tuple[str, ...] = option("-t", "--hyp", multiple=True, metavar="[NAME[@RUN]=]FILE",
                                   help="A system's output; repeat for more systems. - is standard input.",
                                   )  # fmt: skip
    doc: str | None = option("--doc", metavar="FILE", help="Document names, one per line.")
    missing: str | None = option("--missing", metavar="TEXT",
                                 help=r"In these files, a line with this text is missing: for example '\N'.",
                                 )  # fmt: skip
    models: tuple[str, ...] = option("--models", multiple=True, metavar="DIR",
                                     help="A folder in which metrics' models are looked for by name.",
                                     )  # fmt: skip
    no_cache: bool = option("--no-cache", is_flag=True,
                            help="Neither use nor keep what models have worked out.")  # fmt: skip
    scores: tuple[str, ...] = option("--scores", multiple=True, metavar="NAME[:lower]=FILE",
                                     help="Scores of segments from elsewhere, such as comet-score's JSON; "
                                     ":lower where less is better.",
                                     )  # fmt: skip
    mmap: bool = option("--mmap", is_flag=True,
                        help="Map plain texts instead of reading them; nobody may write to them meanwhile.",
                        )  # fmt: skip

    @property
    def cache(self) -> str | None:
        """The folder in which models' work is kept; None where it is not to be."""
        from tertium.io.cache import models_folder

        return None if self.no_cache else models_folder()

    def read(self, choose: Choose = all_or_piped) -> Evaluation:
        """The test set and its systems; `choose` gets those that are named, and may read more or leave some out."""
        check_standard_input((self.src, self.doc, *self.refs, *self.hyps))
        if self.testset is not None and (self.src or self.refs or self.doc):
            raise OptionError(
                f"{self.testset} already names source, references and documents; --src, --ref and --doc go without it"
            )
        if self.testset is None and not self.refs and not self.src:
            raise OptionError("nothing to compare with: pass a testset.toml, or --ref FILE (see tertium score --help)")
        from tertium.io.columns import LastTable
        from tertium.io.testset import read_files, read_testset

        opener = LastTable(self.mmap)
        given = None if self.testset is None else read_testset(self.testset, mmap=self.mmap)
        known = () if given is None else given.systems
        named = (*known, *read_systems(self.hyps, self.missing, known, opener))
        systems = tuple(choose(named, lambda specs: tuple(read_systems(specs, self.missing, named, opener))))
        if given is not None:
            given = replace(given, brings=(*read_scores(self.scores), *given.brings))
            return replace(with_systems(given, systems), models=(*self.models, *given.models))
        testset = read_files(self.src, self.refs, self.doc, self.missing, systems[0], opener)
        return Evaluation(testset=testset, systems=systems, models=self.models, brings=tuple(read_scores(self.scores)))


input_options = parameters(Inputs, "inputs")
counting_options = parameters(Inputs, "inputs", without=["scores"])  # for a command that counts texts anew
system_options = parameters(Inputs, "inputs", without=["testset"])  # for a command that names test sets otherwise


def read_scores(specs: Iterable[str]) -> Iterator[str]:
    """`NAME=FILE` -> the metric whose rows are in the file. The direction stands before `=`, where no path can be."""
    for spec in specs:
        from tertium.io.given_scores import scores_text

        name, equals, file = spec.partition("=")
        name, colon, better = name.partition(":")
        if not (name and equals and file) or (colon and better not in ("lower", "higher")):
            raise OptionError(f"--scores {spec}: write NAME=FILE, or NAME:lower=FILE where a lower score is better")
        if not Path(file).exists():
            raise InputError(f"--scores {spec}: {file}: no such file or folder")
        yield scores_text(name, file, better == "lower")


def check_standard_input(specs: Iterable[str | None]) -> None:
    """Refuse to read it twice: the second time there is nothing left."""
    if sum(spec == "-" or spec.endswith("=-") for spec in specs if spec) > 1:
        raise OptionError("standard input (-) can be read only once; name files for the others")


def with_systems(given: Evaluation, systems: tuple[System, ...]) -> Evaluation:
    """The test set with these systems, whose names in the judgements are looked up again."""
    judgements = given.judgements
    if judgements and systems != given.systems:
        from tertium.io.ratings.systems import renamed

        judgements = renamed(judgements, [system.name for system in systems])
    return replace(given, systems=systems, judgements=judgements)


def read_systems(
    specs: Sequence[str], missing: str | None, taken: Sequence[System], opener: Opener
) -> Iterator[System]:
    """Systems from FILE or NAME=FILE; NAME= only where no file of that whole name exists."""
    from tertium.io.testset import read_system, system_names

    names = {system.name for system in taken}
    pairs = [spec.split("=", 1) if "=" in spec and not Path(spec).exists() else ["", spec] for spec in specs]
    stems = iter(system_names([path for name, path in pairs if not name]))
    for name, path in pairs:
        if not path:
            raise OptionError(f"--hyp {name}=: no file; write --hyp {name}=FILE")
        label = name or ("stdin" if path == "-" else next(stems))
        if name == "" and path == "-":
            next(stems, None)
        if label in names:
            raise InputError(
                f"--hyp {path}: there is already a system {label}; give it another name: --hyp NAME={path}"
            )
        if path == "-" and sys.stdin is not None and sys.stdin.isatty():
            raise OptionError("no system output: pass --hyp FILE, or pipe one into standard input")
        _, _, run = name.partition("@")  # NAME@RUN=FILE: one of several runs of a system
        yield replace(read_system(label, path, missing, opener), run=run or None)
