"""testset.toml: a test set, its systems and judgements, tied together by a small file.

    name = "wmt19"                        # else the folder's name
    source_language = "de"
    target_language = "en"
    source = "source.de"
    references = ["a.en", "b.en"]         # or one string
    missing = '\\N'                        # lines that say so are missing in source, references and systems
    documents = "documents.txt"           # the document of every line
    ids = "ids.txt"                       # a name for every segment
    files = "jobs/*.xlf"                  # in place of source, references, documents and ids: localisation files
    tags = "strip"                        # how inline tags of localisation files are read; or "protect", "keep"
    systems = "systems/*.en"              # a glob, a list of them, or a table NAME = FILE
    judgements = "ratings.tsv"            # or a list, or a table as below

    [labels]
    domain = "domains.txt"

    [judgements]
    file = "ratings.tsv"                  # or a list
    aliases = {"Online-Y.3" = "Online-Y"} # what a name in the judgements means here
    exclude = ["refA"]                    # judged, but no system
    order = "documents"                   # what numbers of segments count in WMT's files; or "lines"

Paths count from the folder of the file; each may be FILE:COLUMN for tables and WMT files.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.system import System, check_lengths
from tertium.core.testset import References, TestSet
from tertium.core.wording import counted
from tertium.io.columns import LastTable, Opener, extension, is_localisation, is_table, open_table
from tertium.io.files import COMPRESSED, read_bytes
from tertium.io.globs import MARKS, Globs, shown
from tertium.io.texts import Spec, as_list, read_stream, read_texts, split_spec, suggest

if TYPE_CHECKING:
    from tertium.core.judgement import Judgement
    from tertium.io.localisation.bitext import Bitext


def read_testset(
    path: str | Path,
    inside: Path | None = None,
    *,
    mmap: bool = False,
    tags: str | None = None,
    own_lines: bool = False,
) -> Evaluation:
    """The test set, systems and judgements of a testset.toml, WMT file, localisation file or folder of mt-metrics-eval,
    with no statistics yet.

    Where a folder is given, no file is opened that does not lie `inside` it. With `mmap` plain texts are mapped, not
    read: for files that nobody writes to as long as the result is in use. `tags` says how inline tags of localisation
    files are read: strip (as without it), protect or keep. Outputs that have lines of their own (`own_lines`) are not
    the segments of the test set yet (`text.resegment`).
    """
    if is_localisation(path) or extension(path) == ".xlsx":
        from tertium.io.localisation.reading import read_bitext

        return bitext_evaluation(read_bitext(str(path), tags))
    if extension(path) in (".xml", ".sgm", ".sgml"):
        from tertium.io.wmt import read_wmt

        testset, systems = read_wmt(path)
        return Evaluation(testset=testset, systems=systems)
    if inside is None and extension(path) != ".toml":
        from tertium.io.evalset import find_evalset

        evalset = find_evalset(path)
        if evalset is not None:
            return evalset.evaluation()
    return _Reader(str(path), _read_toml(str(path)), inside, mmap, tags).evaluation(own_lines)


def bitext_evaluation(bitext: Bitext) -> Evaluation:
    """The test set and systems of localisation files; what was left out of them is among the warnings."""
    return Evaluation(testset=bitext.testset(), systems=bitext.systems(), warnings=bitext.notes)


def read_files(
    src: str | Spec | None,
    refs: Sequence[str | Spec],
    doc: str | Spec | None,
    missing: str | None,
    system: System,
    opener: Opener = open_table,
) -> TestSet:
    """A test set from files; they must have as many lines as the first of them."""
    streams = [(spec, stream) for spec in refs for stream in read_texts(spec, missing, opener)]
    src = src or beside(refs, "source")
    doc = doc or beside(refs, "document")
    sources = None if src is None else read_stream(as_source(src), missing, opener)
    documents = None if doc is None else read_stream(doc, None, opener)
    if documents is not None and None in documents:
        raise InputError(f"{doc}: line {list(documents).index(None) + 1} is missing; every segment needs a document")
    first, segments = (str(streams[0][0]), len(streams[0][1])) if streams else (str(src), len(sources or ()))
    others = [*streams, *([(src, sources)] if src else []), *([(doc, documents)] if doc else [])]
    for spec, lines in others:
        if lines is not None and len(lines) != segments:
            raise InputError(
                f"{spec}: {counted(len(lines), 'line')}, but {first} has {segments}; they must go line by line"
            )
    # Fewer lines than files: two outputs and two references of 1000 lines are only an output that is too short.
    if 0 < segments < len(streams) == len(system.outputs):
        raise InputError(
            f"{len(streams)} reference files of {counted(segments, 'line')} for {len(system.outputs)} outputs: it "
            f"looks as if references were given one file per segment; give one file per set of references"
        )
    return TestSet(
        name=Path(first).name,
        segments=segments,
        sources=sources,
        references=References(tuple(stream for _, stream in streams), segments),
        documents=None if documents is None else tuple(str(name) for name in documents),
        tags=opener.tags_read if isinstance(opener, LastTable) else None,
    )


def beside(refs: Sequence[str | Spec], column: str) -> Spec | None:
    """What stands beside the references, where they are the targets of a localisation file."""
    path, named = split_spec(refs[0]) if refs else Spec("")
    return Spec(path, column) if named is None and path and is_localisation(path) else None


def as_source(spec: str | Spec) -> Spec:
    """What is named as the source: of a localisation file, its sources."""
    path, column = split_spec(spec)
    return Spec(path, "source" if column is None and is_localisation(path) else column)


def read_system(name: str, spec: str | Spec, missing: str | None = None, opener: Opener = open_table) -> System:
    """The outputs that `spec` names."""
    origin = "standard input" if spec == "-" else str(spec)
    return System(name=name, outputs=read_stream(spec, missing, opener), origin=origin)


def system_names(paths: Sequence[str | Path | Spec], folder: Path | None = None) -> list[str]:
    """A name for each path or FILE:COLUMN: column or file stem, and what of the path (from a folder on) tells them
    apart."""
    specs = [split_spec(path if isinstance(path, Spec) else str(path)) for path in paths]
    ladders = [_possible_names(spec if folder is None else spec.below(folder)) for spec in specs]
    names = [ladder[0] for ladder in ladders]
    for step in range(1, len(ladders[0]) if ladders else 0):
        counts = Counter(names)
        names = [ladders[k][step] if counts[name] > 1 else name for k, name in enumerate(names)]
    counts = Counter(names)
    for path, name in zip(paths, names, strict=True):
        if counts[name] > 1:
            raise InputError(f"{path} is given twice as a system; name each file once")
    return names


def _possible_names(spec: Spec) -> tuple[str, ...]:
    path, column = spec
    file = Path(path)
    if file.suffix in COMPRESSED:
        file = file.with_suffix("")
    stem, folder = file.stem, f"{file.parent.name}/" if file.parent.name else ""
    first = stem if column is None else column.removeprefix("hyp.") if extension(path) == ".xml" else column
    return first, stem, f"{folder}{stem}", file.name, f"{folder}{file.name}", str(spec)


def _read_toml(path: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(bytes(read_bytes(path)).decode("utf-8-sig").replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:  # TOMLDecodeError and UnicodeDecodeError are among them
        if is_table(path):
            raise InputError(
                f"{path}: a file with columns, not a testset.toml; name them (--ref {path}:COLUMN "
                f"--hyp {path}:COLUMN), or take tertium merge for what tertium stats wrote"
            ) from None
        hint = "" if path.endswith(".toml") else "; pass outputs by --hyp and references by --ref"
        raise InputError(f"{path}: not a valid TOML file ({error}){hint}") from None


class _Part(NamedTuple):
    """Texts and the file they came from."""

    key: str
    spec: Spec
    lines: Lines


class _Reader:
    """Reads what the keys of a testset.toml name; each error names the file."""

    def __init__(self, path: str, values: dict[str, Any], inside: Path | None, mmap: bool, tags: str | None) -> None:
        self.path, self.values, self.inside = path, values, inside
        self.folder = Path(path).parent
        self.globs = Globs(self.folder)
        from tertium.io.testset_keys import check_keys  # only who has a testset.toml pays for it

        check_keys(path, values)
        self.opener = LastTable(mmap, tags or values.get("tags"))
        self.missing: str | None = values.get("missing")

    def evaluation(self, own_lines: bool = False) -> Evaluation:
        given = self.bitexts()
        testset = self.testset() if given is None else given.testset
        systems = tuple(read_system(name, spec, self.missing, self.opener) for name, spec in self.systems())
        systems = systems if given is None else _of_other_names(self.path, given.systems, systems)
        for system in () if own_lines else systems:
            check_lengths(system, testset)
        models = [self.confined(Spec(str(self.folder / name))).path for name in as_list(self.values.get("models"))]
        judgements, notes = self.judgements(testset, systems)
        return Evaluation(
            testset=testset,
            systems=systems,
            judgements=judgements,
            warnings=notes if given is None else (*given.warnings, *notes),
            models=tuple(models),
            brings=tuple(self.scores()),
        )

    def scores(self) -> Iterator[str]:
        """Metrics whose scores of segments are in files."""
        from tertium.io.given_scores import scores_text  # only who has such scores pays for it

        for name, value in self.values.get("scores", {}).items():
            about = value if isinstance(value, dict) else {"file": value}
            file = self.confined(Spec(str(self.folder / about["file"]))).path
            yield scores_text(name, file, about.get("better") == "lower")

    def bitexts(self) -> Evaluation | None:
        """The test set and systems of the localisation files that `files` names."""
        wanted = as_list(self.values.get("files"))
        if not wanted:
            return None
        for key in ("source", "references", "documents", "ids"):
            if key in self.values:
                raise InputError(f"{self.path}: {key} beside files; localisation files have their own, leave it out")
        from tertium.io.localisation.reading import read_bitexts

        paths = [spec.path for pattern in wanted for spec in self.matches(pattern, "files")]
        read = bitext_evaluation(read_bitexts(paths, self.path, self.opener.tags))
        if read.testset.sources is not None:
            self.opener.expect(self.path, read.testset.sources, read.testset.tags)
        segments = len(read.testset)
        labels = [self.part(f"labels.{key}", spec) for key, spec in self.values.get("labels", {}).items()]
        for part in labels:
            if len(part.lines) != segments:
                raise InputError(
                    f"{part.spec}: {counted(len(part.lines), 'line')} of {part.key}, but the files have "
                    f"{counted(segments, 'segment')}"
                )
        own = {part.key.removeprefix("labels."): _words(part) for part in labels}
        testset = replace(
            read.testset,
            name=self.values.get("name") or self.default_name(),
            source_language=self.values.get("source_language") or read.testset.source_language,
            target_language=self.values.get("target_language") or read.testset.target_language,
            labels={**read.testset.labels, **own},
        )
        return replace(read, testset=testset)

    def locate(self, spec: str) -> Spec:
        """File and column of what a key says."""
        return self.confined(split_spec(str(self.folder / spec)))

    def confined(self, spec: Spec) -> Spec:
        """The same, if it may be opened."""
        if self.inside is not None and not Path(spec.path).resolve().is_relative_to(self.inside.resolve()):
            raise InputError(f"{self.path}: {spec} lies outside the folder; name files in it")
        return spec

    def testset(self) -> TestSet:
        sources = self.parts("source")
        references = self.parts("references")
        documents, ids = self.parts("documents"), self.parts("ids")
        labels = {key: self.part(f"labels.{key}", spec) for key, spec in self.values.get("labels", {}).items()}
        parts = [*sources, *references, *documents, *ids, *labels.values()]
        if not parts:
            raise InputError(f"{self.path}: neither source nor references; name the file of at least one of them")
        segments = _same_length(parts)
        return TestSet(
            name=self.values.get("name") or self.default_name(),
            source_language=self.values.get("source_language"),
            target_language=self.values.get("target_language"),
            segments=segments,
            sources=sources[0].lines if sources else None,
            references=References(tuple(part.lines for part in references), segments),
            documents=_words(documents[0]) if documents else None,
            ids=_unique(ids[0]) if ids else None,
            labels={key: _words(part) for key, part in labels.items()},
            tags=self.opener.tags_read,
        )

    def default_name(self) -> str:
        stem = Path(self.path).stem
        return Path(self.path).resolve().parent.name if stem == "testset" else stem

    def parts(self, key: str) -> list[_Part]:
        """The texts of a key, none where it is absent."""
        if key != "references":
            return [self.part(key, spec) for spec in as_list(self.values.get(key))]
        return [
            _Part(key, spec, lines)
            for spec in map(self.locate, as_list(self.values.get(key)))
            for lines in read_texts(spec, self.missing, self.opener)
        ]

    def part(self, key: str, spec: str) -> _Part:
        where = as_source(self.locate(spec)) if key == "source" else self.locate(spec)
        return _Part(key, where, read_stream(where, self.missing if key == "source" else None, self.opener))

    def systems(self) -> list[tuple[str, Spec]]:
        """Names and specs."""
        wanted = self.values.get("systems")
        if isinstance(wanted, dict):
            return [(name, self.locate(spec)) for name, spec in wanted.items()]
        specs = [found for pattern in as_list(wanted) for found in self.matches(pattern)]
        return list(zip(system_names(specs, self.folder), specs, strict=True))

    def matches(self, pattern: str, key: str = "systems") -> list[Spec]:
        """The files of a glob, sorted; `GLOB:COLUMN` is that column of each."""
        spec, named = self.locate(pattern), self.folder / shown(pattern)
        if not any(mark in pattern for mark in MARKS) or os.path.isfile(spec.path):  # noqa: PTH113 (long names)
            return [spec]
        files = [Spec(file) for file in self.glob(pattern, key)]
        if not files and ":" in pattern:
            pattern, _, column = pattern.rpartition(":")
            files = [Spec(file, column) for file in self.glob(pattern, key)]
        if not files:
            raise InputError(f"{self.path}: {key}: {named} matches no file; relative paths count from {self.folder}")
        return files

    def glob(self, pattern: str, key: str) -> list[str]:
        try:
            found = self.globs.find(pattern)
        except InputError as error:
            raise InputError(f"{self.path}: {key}: {error}") from None
        return [self.confined(Spec(path)).path for path in found]

    def judgements(self, testset: TestSet, systems: Sequence[System]) -> tuple[tuple[Judgement, ...], tuple[str, ...]]:
        """With the notes of their files."""
        value = self.values.get("judgements")
        if value is None:
            return (), ()
        from tertium.io.ratings.formats import open_ratings
        from tertium.io.ratings.systems import renamed  # only who has judgements pays for them

        about = value if isinstance(value, dict) else {"file": value}
        found: list[Judgement] = []
        notes: list[str] = []
        for spec in as_list(about.get("file")):
            where = self.confined(Spec(str(self.folder / spec)))  # a whole file, whatever colons are in its name
            one = open_ratings(where.path, None, testset, order=about.get("order"))
            found += one.judgements
            notes += one.warnings
        self.check_names(about, {judgement.system for judgement in found}, [system.name for system in systems])
        aliases, exclude = about.get("aliases", {}), about.get("exclude", ())
        said = renamed(found, [system.name for system in systems], aliases, exclude)
        return said, tuple(dict.fromkeys(notes))

    def check_names(self, about: dict[str, Any], judged: set[str], systems: Sequence[str]) -> None:
        """Aliases and exclusions that mean nothing are mistakes."""
        for key, names in (("aliases", about.get("aliases", {})), ("exclude", about.get("exclude", ()))):
            for name in names:
                if name not in judged:
                    raise InputError(
                        f"{self.path}: judgements.{key} names {name!r}, which nobody judged"
                        f"{suggest(name, sorted(judged))} judged: {', '.join(sorted(judged))}"
                    )
        for name, meant in about.get("aliases", {}).items():
            if systems and meant not in systems:
                raise InputError(
                    f"{self.path}: judgements.aliases: {name!r} means {meant!r}, which is no system"
                    f"{suggest(meant, systems)} systems: {', '.join(systems)}"
                )


def _of_other_names(path: str, first: Sequence[System], more: Sequence[System]) -> tuple[System, ...]:
    """Systems in the files and beside them, no two of one name."""
    for system in more:
        if any(system.name == one.name for one in first):
            raise InputError(
                f"{path}: systems: {system.origin}: the files have matches of an engine {system.name}, too; give it "
                f"another name: systems = {{NAME = FILE}}"
            )
    return (*first, *more)


def _same_length(parts: Sequence[_Part]) -> int:
    """The number of segments, which all files must agree on."""
    first = parts[0]
    for part in parts[1:]:
        if len(part.lines) != len(first.lines):
            raise InputError(
                f"{part.spec}: {counted(len(part.lines), 'line')} of {part.key}, but {first.spec} ({first.key}) has "
                f"{len(first.lines)}; line k of each is segment k. Is one of another test set, or cut short?"
            )
    return len(first.lines)


def _words(part: _Part) -> tuple[str, ...]:
    """Texts none of which is missing."""
    texts = []
    for line, text in enumerate(part.lines, 1):
        if text is None:
            raise InputError(f"{part.spec}: row {line} has no value for {part.key}; write one for every segment")
        texts.append(text)
    return tuple(texts)


def _unique(part: _Part) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    for line, text in enumerate(_words(part), 1):
        if text in seen:
            raise InputError(f"{part.spec}: id {text!r} in row {line} is that of row {seen[text]}; ids must be unique")
        seen[text] = line
    return tuple(seen)
