"""What commands read: the test set and the systems that the command line names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tertium.cli.parameters import argument, option, parameters
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.system import System
from tertium.core.testset import FILE, TAGS

if TYPE_CHECKING:
    from tertium.io.columns import Opener

Read = Callable[[Sequence[str]], Sequence[System]]  # systems from more files
Choose = Callable[[Sequence[System], Read], Sequence[System]]


def all_or_piped(systems: Sequence[System], read: Read) -> Sequence[System]:
    """Every system that is named; where none is, the one on standard input."""
    if systems:
        return systems
    [piped] = read(["-"])
    if not len(piped.outputs):
        raise OptionError(
            "no system output: no files have any, and nothing is piped into standard input; pass --hyp FILE (of XLIFF, "
            "proposals in alt-trans or mtc:match are outputs)"
        )
    return [piped]


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The same words for every command that counts."""

    testset: str | None = argument(required=False, metavar="[TESTSET]")
    named: str | None = option("-T", "--set", metavar="NAME",
                               help="A test set with a name, such as wmt19 (tertium testsets list).",
                               )  # fmt: skip
    pair: str | None = option("-l", "--language-pair", metavar="PAIR", help="The language pair of -T, such as de-en.")
    origlang: str | None = option("--origlang", metavar="LANGUAGE",
                                  help="Of -T, only segments first written in it; non-en: in any but English.",
                                  )  # fmt: skip
    subset: str | None = option("--subset", metavar="PATTERN",
                                help="Of -T, only segments of this kind: a regular expression, such as news.",
                                )  # fmt: skip
    set_systems: bool = option("--set-systems", is_flag=True, help="The systems that came with -T, too.")
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
    resegment: bool = option("--resegment", is_flag=True,
                             help="Outputs have lines of their own: cut them into the references' segments by the "
                             "fewest edits.")  # fmt: skip
    resegment_by: str = option("--resegment-by", type=click.Choice(["none", "char", "none+lower", "char+lower"]),
                               default="none", show_default=True,
                               help="Edits of words (none: at white space), or of characters for languages without "
                               "spaces; lower: in lower case.")  # fmt: skip
    hyp_doc: str | None = option("--hyp-doc", metavar="FILE",
                                 help="With --resegment: the document of every line of the outputs.",
                                 )  # fmt: skip
    tags: str | None = option("--tags", type=click.Choice(TAGS),
                              help="Inline tags of XLIFF and TMX: left out, a word each, or the code that they stand "
                              "for. [default: strip]")  # fmt: skip
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
        self._check_named()
        self._check_resegmenting()
        if self.testset is None and self.named is None and not self.refs and not self.src:
            raise OptionError(
                "nothing to compare with: pass a testset.toml, --ref FILE, or -T NAME (see tertium score --help)"
            )
        from tertium.io.columns import LastTable
        from tertium.io.testset import read_files

        given = self._given() if self.testset is None else self._read_testset(self.testset)
        opener = LastTable(self.mmap, self.tags or (None if given is None else given.testset.tags))
        if given is not None and given.testset.sources is not None and FILE in given.testset.records:
            opener.expect(given.testset.name, given.testset.sources, given.testset.tags)
        known = () if given is None else given.systems
        named = (*known, *read_systems(self.hyps, self.missing, known, opener))
        systems = tuple(choose(named, lambda specs: tuple(read_systems(specs, self.missing, named, opener))))
        if given is not None:
            testset = replace(given.testset, tags=given.testset.tags or opener.tags_read)
            self._check_tags(testset.tags)
            given = replace(given, testset=testset, brings=(*read_scores(self.scores), *given.brings))
            found = replace(with_systems(given, systems), models=(*self.models, *given.models))
            return self._part(self._resegmented(found))
        testset = read_files(self.src, self.refs, self.doc, self.missing, systems[0], opener)
        self._check_tags(testset.tags)
        brings = tuple(read_scores(self.scores))
        found = Evaluation(testset=testset, systems=systems, models=self.models, brings=brings)
        return self._resegmented(found)

    def _read_testset(self, path: str) -> Evaluation:
        from tertium.io.testset import read_testset

        return read_testset(path, mmap=self.mmap, tags=self.tags, own_lines=self.resegment)

    def _check_resegmenting(self) -> None:
        """What goes with --resegment, and what does not."""
        if not self.resegment and (self.hyp_doc or self.resegment_by != "none"):
            flag = "--hyp-doc" if self.hyp_doc else "--resegment-by"
            raise OptionError(f"{flag} is for outputs that are cut into segments; add --resegment")

    def _resegmented(self, whole: Evaluation) -> Evaluation:
        """The same with outputs cut into the segments of the test set, if that is asked for."""
        if not self.resegment:
            return whole
        from tertium.io.texts import read_stream
        from tertium.text.resegment import resegment_systems

        names = None if self.hyp_doc is None else [text or "" for text in read_stream(self.hyp_doc)]
        testset, systems, notes = resegment_systems(whole.testset, whole.systems, names, self.resegment_by)
        return replace(whole, testset=testset, systems=systems, warnings=(*whole.warnings, *notes))

    def _check_tags(self, read: str | None) -> None:
        """Refuse --tags where it does nothing."""
        if self.tags is not None and read is None:
            raise OptionError(f"--tags {self.tags}: none of the files has inline tags that are read (XLIFF, TMX)")

    def _check_named(self) -> None:
        """What goes with -T, and what does not."""
        theirs = {"TESTSET": self.testset, "--src": self.src, "--ref": self.refs, "--doc": self.doc}
        ours = {
            "-l": self.pair,
            "--origlang": self.origlang,
            "--subset": self.subset,
            "--set-systems": self.set_systems,
        }
        for flag, value in (ours if self.named is None else theirs).items():
            if value and self.named is None:
                raise OptionError(f"{flag} is for test sets with a name; add -T NAME (tertium testsets list)")
            if value:
                raise OptionError(f"-T {self.named} has its own source, references and documents; leave out {flag}")

    def _given(self) -> Evaluation | None:
        """The test set with a name, if there is one."""
        if self.named is None:
            return None
        from tertium.io.named.store import named_testset

        testset, systems = named_testset(self.named, self.pair)
        return Evaluation(testset=testset, systems=systems if self.set_systems else ())

    def _part(self, whole: Evaluation) -> Evaluation:
        """The segments that are asked for, of outputs of the whole test set."""
        if self.origlang is None and self.subset is None:
            return whole
        import numpy as np

        from tertium.core.system import check_lengths
        from tertium.io.named.store import segments_of

        for system in whole.systems:
            check_lengths(system, whole.testset)
        kept = np.array(segments_of(whole.testset, self.origlang, self.subset), dtype=np.int64)
        systems = tuple(replace(system, outputs=system.outputs.take(kept)) for system in whole.systems)
        return replace(whole, testset=whole.testset.take(kept), systems=systems)


input_options = parameters(Inputs, "inputs")
counting_options = parameters(Inputs, "inputs", without=["scores"])  # for a command that counts texts anew
output_options = parameters(  # for a command whose file names the test set
    Inputs,
    "inputs",
    without=[one.name for one in fields(Inputs) if one.name not in ("hyps", "missing", "models", "no_cache")],
)
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
