"""Files that come over the network made into an evaluation, by the same readers and with the same errors as on the
command line; within limits, and without reaching any file but those that came along."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from tertium.core.errors import InputError, OptionError, TertiumError
from tertium.core.evaluation import Evaluation
from tertium.core.system import System
from tertium.io.columns import LOCALISATION, LastTable, Opener, extension, is_localisation, is_table
from tertium.io.files import COMPRESSED, packing
from tertium.io.roles import BETWEEN, HINTS, guess_role, recognise
from tertium.io.texts import Spec
from tertium.metrics import parse, refuse_local
from tertium.web.heads import head_of
from tertium.web.intake import ROLES, FormPart, Limits, check_all_packed, open_zip, safe_name, store, unpack_zip

__all__ = ["ROLES", "FormPart", "Limits", "guess_role", "read_upload", "safe_name", "title_of"]

BUNDLES = (".toml", ".zip", ".xml", ".sgm", ".sgml", *LOCALISATION)  # files that are a test set by themselves
EFFORT = 1 << 30  # bytes that are parsed, each as often as it is needed
DOTS = 5000  # of a testset.toml: tomllib takes a time that grows with the square of a key's parts
# How files begin that people send by mistake for a text.
NO_TEXTS = {
    b"\x89PNG": "an image", b"\xff\xd8\xff": "an image", b"GIF8": "an image", b"%PDF": "a PDF document",
    b"PK\x03\x04": "an office document or a zip", b"\xd0\xcf\x11\xe0": "an office document",
    b"{\\rtf": "an office document", b"\x1f\x8b": "compressed, which its name should say (.gz)",
}  # fmt: skip


class UploadedText(NamedTuple):
    """A file or column, and what it is."""

    role: str
    spec: Spec
    name: str = ""  # of the system
    top: Path | None = None  # the folder that is ours: its name says nothing about a system


def read_upload(
    parts: Iterable[FormPart], roles: str | None, folder: Path, limits: Limits, tags: str | None = None
) -> Evaluation:
    """The evaluation that files make, without statistics unless it is a saved one.

    A part's field says what it is (source, reference, output, documents, judgements), or it is `file`: then `roles`, a
    JSON list of {"file", "role", "column"?, "name"?}, says so, or else what the files themselves say.
    """
    return read_stored(store_parts(parts, folder, limits), roles, folder, limits, tags)


def store_parts(parts: Iterable[FormPart], folder: Path, limits: Limits) -> list[tuple[str, Path]]:
    """Write files into the folder; what they are is looked at later."""
    try:
        return store(parts, folder, limits)
    except OSError as error:
        raise InputError(f"the files cannot be kept ({error.strerror or error})") from None


def read_stored(
    paths: Sequence[tuple[str, Path]], roles: str | None, folder: Path, limits: Limits, tags: str | None = None
) -> Evaluation:
    """The evaluation that files make which were stored, with their roles, as `read_upload` explains; `tags` says how
    inline tags of localisation files are read."""
    try:
        check_all_packed(paths, folder, limits)
        if roles is not None and roles.strip():
            return read_texts_as(list(read_roles(roles, folder, paths)), folder, tags=tags)
        named = [UploadedText(role, Spec(str(path)), top=folder / role) for role, path in paths if role != "file"]
        loose = [path for role, path in paths if role == "file"]
        if not named:
            return from_here(read_loose(loose, folder, limits, tags=tags), folder)
        return read_texts_as(named, folder, loose, tags=tags)
    except TertiumError as error:
        raise type(error)(str(error).replace(f"{folder}/", "")) if type(error) in PLAIN else error from None
    except OSError as error:
        raise InputError(f"the files cannot be kept ({error.strerror or error})") from None


def from_here(evaluation: Evaluation, folder: Path) -> Evaluation:
    """The same without where the server keeps files; saved evaluations carry the origins of outputs with them."""
    systems = [
        replace(system, origin=system.origin and system.origin.removeprefix(f"{folder}/"))
        for system in evaluation.systems
    ]
    notes = tuple(note.replace(f"{folder}/", "") for note in evaluation.warnings)
    return replace(evaluation, systems=tuple(systems), warnings=notes)


PLAIN = (InputError, OptionError)  # errors that are made of their text


# What the files are


def read_roles(text: str, folder: Path, paths: Sequence[tuple[str, Path]]) -> Iterable[UploadedText]:
    """What the sender says that each file or column is."""
    known = {path.relative_to(folder).as_posix(): path for _, path in paths}
    try:
        items = json.loads(text)
        facts = [(str(item["file"]), str(item["role"]), item.get("column"), item.get("name")) for item in items]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise OptionError(
            'roles: expected a JSON list such as [{"file": "a.en", "role": "output", "name": "atlas"}]'
        ) from None
    judged = dict.fromkeys(file for file, role, _, _ in facts if role == "judgements")
    for file, role, column, name in facts:
        path = known.get(file)
        if path is None:
            raise OptionError(f"roles: no file {file!r} came along; there are: {', '.join(known)}")
        if role not in ROLES:
            raise OptionError(f"roles: {file} cannot be {role!r}; choose from {', '.join(ROLES)}")
        if file not in judged:
            yield UploadedText(role, Spec(str(path), str(column) if column else None), str(name or ""))
    for file in judged:  # a table of judgements is one whole, whichever column was said to be it
        yield UploadedText("judgements", Spec(str(known[file]), None))


def read_loose(
    paths: Sequence[Path], folder: Path, limits: Limits, name: str = "testset", tags: str | None = None
) -> Evaluation:
    """The evaluation of files that nobody said anything about: a test set by itself, or by the names of the files."""
    zips = [path for path in paths if extension(path) == ".zip"]
    if zips and len(paths) > 1:
        raise InputError(f"{zips[0].name} came with {len(paths) - 1} other files; send a zip alone")
    if zips:
        return read_zip(zips[0], folder / "unpacked", limits, tags)
    tables = [path for path in paths if path.suffix == ".toml"]
    if len(tables) > 1:  # a folder may have a campaign.toml beside it
        tables = [path for path in tables if path.name == "testset.toml"] or tables
    if len(tables) > 1:
        raise InputError(f"{len(tables)} .toml files: {', '.join(sorted(path.name for path in tables))}; send one")
    if tables:
        return read_confined(tables[0], folder, name, tags)
    if all(map(is_localisation, paths)) and not any(said_output(path) for path in paths):
        return read_jobs(paths, name, tags)
    whole = [path for path in paths if extension(path) in (".xml", ".sgm", ".sgml")]
    if len(whole) == len(paths) == 1:
        from tertium.io.testset import read_testset

        return read_testset(whole[0])
    return read_texts_as([], folder, paths, "" if name == "testset" else name, tags)


def said_output(path: Path) -> bool:
    """Whether a file or its folder is called as an output is."""
    return guess_role("/".join(path.parts[-2:])) == "output"


def read_jobs(paths: Sequence[Path], name: str, tags: str | None) -> Evaluation:
    """Localisation files that are one test set."""
    from tertium.io.localisation.reading import read_bitexts
    from tertium.io.testset import bitext_evaluation, read_testset

    if len(paths) == 1:
        return read_testset(paths[0], tags=tags)
    read = bitext_evaluation(read_bitexts([str(path) for path in sorted(paths)], name, tags))
    return replace(read, testset=replace(read.testset, name=name))


def read_zip(path: Path, folder: Path, limits: Limits, tags: str | None = None) -> Evaluation:
    """A saved evaluation, or a packed test set."""
    if is_saved(path, limits):
        from tertium.io.evaluation import load_evaluation

        limit = min(limits.unpacked, max(limits.harmless, limits.ratio * path.stat().st_size))
        evaluation = load_evaluation(path, parse, limit=limit)
        for metric in evaluation.metrics:
            refuse_local(metric, limits.allowed, limits.models)
        return evaluation
    found = unpack_zip(path, folder, limits)
    if not found:
        raise InputError(f"{path.name}: no file in it; put source, references and outputs there")
    if any(extension(inner) == ".zip" for inner in found):
        raise InputError(f"{path.name}: a zip in a zip; unpack the inner one first")
    try:
        return from_here(read_loose(found, folder, limits, path.stem, tags), folder)
    except TertiumError as error:
        raise type(error)(str(error).replace(f"{folder}/", "")) if type(error) in PLAIN else error from None


def is_saved(path: Path, limits: Limits) -> bool:
    """Whether a zip is an evaluation that tertium saved."""
    try:
        with open_zip(path, limits) as archive:
            return "evaluation.json" in archive.namelist()
    except TertiumError:
        raise
    except Exception:  # what is wrong with it is said when it is read
        return False


def read_confined(path: Path, folder: Path, name: str, tags: str | None = None) -> Evaluation:
    """A testset.toml that names nothing but files that came along with it; `name` is for one that has none."""
    import tomllib

    from tertium.io.testset import read_testset

    if path.read_bytes().count(b".") > DOTS:
        raise InputError(f"{path}: more than {DOTS} dots; name files by patterns such as systems/*.en")
    try:
        values = tomllib.loads(path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n"))
    except (ValueError, RecursionError):
        return read_testset(path)  # which says what is wrong
    if values.get("models"):
        raise InputError(
            f"{path}: names folders of models, but here models are those that the workbench was started with (tertium "
            f"serve --model NAME=MODEL); leave `models` out"
        )
    for key in ("source", "references", "documents", "ids", "files", "systems", "judgements", "labels", "scores"):
        value = values.get(key)
        if key == "judgements" and isinstance(value, dict):
            value = value.get("file")  # the rest are names of systems
        for spec in _texts_in(value):
            if Path(spec).is_absolute() or ".." in re.split(r"[/\\]", spec) or re.match(r"[A-Za-z]:|\\|~", spec):
                raise InputError(
                    f"{path}: {key} names {spec!r}, which lies outside the upload; "
                    f"send the files along and name them by paths from {path.name}"
                )
    try:
        evaluation = read_testset(path, folder, tags=tags)
    except InputError as error:
        if str(error).endswith(": no such file"):
            raise InputError(
                f"{error} came along, and {path.name} names it; send the whole folder, or a zip of it"
            ) from None
        raise
    if evaluation.brings:
        from tertium.engines.evaluate import add_metrics

        evaluation = add_metrics(evaluation)  # here, because their files go with the upload
    if values.get("name") or path.stem != "testset" or path.parent != folder:
        return evaluation
    return replace(evaluation, testset=replace(evaluation.testset, name=name))  # else it is that of our folder


def _texts_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _texts_in(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in _texts_in(inner)]
    return [value] if isinstance(value, str) else []


def guess_texts(paths: Sequence[Path], opener: Opener) -> list[UploadedText]:
    """Files by their columns or names, and columns by their names; what does not say otherwise is an output."""
    found = []
    for path in paths:
        if is_table(path) and extension(path) not in BUNDLES:
            if head_of(path).judged or guess_role(path.name) == "judgements":
                found.append(UploadedText("judgements", Spec(str(path))))
                continue
            found += [
                UploadedText(item.role, Spec(str(path), item.column), item.name)
                for item in recognise(opener(str(path)).names)
            ]
        else:
            found.append(UploadedText(guess_role("/".join(path.parts[-2:])) or "output", Spec(str(path))))
    return found


def check_effort(texts: Sequence[UploadedText]) -> None:
    """Refuse what is small to say and long to do: the same text again and again, or all columns of a large table."""
    effort = 0
    for spec, count in Counter(text.spec for text in texts if text.role in ("output", "reference")).items():
        if count > 1:
            raise OptionError(f"{spec} is named {count} times; name each file or column once")
    for text in texts:
        if text.role != "ignore" and extension(text.spec.path) in (".jsonl", ".ndjson", ".csv", ".xlsx", *LOCALISATION):
            # Each column takes time for every row, and the file is read again where others come between its columns.
            packed = packing(text.spec.path) or extension(text.spec.path) == ".xlsx"
            effort += Path(text.spec.path).stat().st_size * (10 if packed else 1)
            if effort > EFFORT:
                raise InputError(f"{text.spec}: too many columns of too large a table; send the columns as files")


def read_texts_as(
    texts: Sequence[UploadedText],
    folder: Path,
    loose: Sequence[Path] = (),
    name: str = "",
    tags: str | None = None,
) -> Evaluation:
    """The evaluation of files and columns whose roles are known, and of files whose names say what they are. `name` is
    that of the test set; without one it has that of its first file."""
    from tertium.io.ratings.formats import read_ratings
    from tertium.io.ratings.systems import renamed
    from tertium.io.testset import read_files, read_system, system_names

    opener = LastTable(tags=tags)
    texts = [*texts, *guess_texts(loose, opener)]
    for text in texts:
        check_inside(text.spec, folder)
        if text.role != "ignore":
            check_text(Path(text.spec.path))
    check_effort(texts)
    by_role = {role: [text for text in texts if text.role == role] for role in ROLES}
    for role in ("source", "documents"):
        if len(by_role[role]) > 1:
            specs = ", ".join(shown(text.spec, folder) for text in by_role[role])
            raise InputError(f"{len(by_role[role])} files for {role}: {specs}; there is one, or none")
    outputs = by_role["output"]
    if not by_role["reference"] and not by_role["source"]:
        names = ", ".join(shown(text.spec, folder) for text in outputs[:5])
        raise InputError(
            f"no reference and no source among {names or 'the files'}; say which file is which, or call them "
            f"reference.en, source.de, systems/NAME.en"
        )
    if not outputs:
        raise InputError("no output of a system; send at least one beside source and references")
    stems = iter(system_names([text.spec.below(text.top or folder) for text in outputs if not text.name]))
    systems: list[System] = []
    for text in outputs:
        called = text.name or next(stems)
        system = read_system(called, text.spec, None, opener)
        systems.append(System(name=called, outputs=system.outputs, origin=shown(text.spec, folder)))
    source, documents = (next((text.spec for text in by_role[role]), None) for role in ("source", "documents"))
    testset = read_files(
        source,
        [text.spec for text in by_role["reference"]],
        documents,
        None,
        systems[0],
        opener,
    )
    testset = replace(testset, name=name or testset.name)
    judgements = [item for text in by_role["judgements"] for item in read_ratings(text.spec.path, testset=testset)[1]]
    named = renamed(judgements, [system.name for system in systems])
    return Evaluation(testset=testset, systems=tuple(systems), metrics=(), table={}, judgements=named)


def title_of(given: Evaluation, files: Sequence[str]) -> str:
    """What to call an upload that nobody named: as its test set is called; where that is only a file, by the folder
    that all files lie in, by what is left of the file's name without role and language (wmt22.de-en.ref.en), or by the
    systems."""
    # A form without JavaScript sends fields that were left empty, as files without a name.
    name, paths = given.testset.name, [path for path in map(Path, files) if path.parts]
    file = next((path.name for path in paths if name == path.name or name.startswith(f"{path.name}:")), None)
    if file is None:
        return name
    tops = {path.parts[0] for path in paths}
    if len(tops) == 1 and all(len(path.parts) > 1 for path in paths) and guess_role(*tops) is None:
        return str(*tops)
    return bare_name(file) or of_systems([system.name for system in given.systems])


def bare_name(file: str) -> str:
    """A file's name without extensions, languages and words that say what it is."""
    stem = file.removesuffix(packing(file))
    text = (stem.removesuffix(extension(stem)) if is_table(stem) else stem).rstrip(BETWEEN)
    words = re.split(r"(?<=[^._\s-])(?=[._\s-])", text)  # each with what stands before it
    if len(words) > 1 and re.fullmatch(r"[a-z]{1,3}|text", words[-1].strip(BETWEEN)):  # .en, .txt
        words.pop()
    roles = set().union(*HINTS.values())
    texts = [(word, word.strip(BETWEEN)) for word in words]
    kept = [word for word, text in texts if text.lower() not in roles and not re.fullmatch("[a-z]{1,2}", text)]
    return "".join(kept).strip(BETWEEN)


def of_systems(names: Sequence[str]) -> str:
    """The name of an evaluation of which nothing is known but its systems."""
    if len(names) > 3:
        return f"{', '.join(names[:2])} and {len(names) - 2} others"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def check_inside(spec: Spec, folder: Path) -> None:
    """Nothing is opened but what came along, whatever a name made it look like."""
    if not Path(spec.path).resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{shown(spec, folder)}: not a file of the upload; send it along")


def shown(spec: Spec, folder: Path) -> str:
    """A file and column without where the server keeps it."""
    return str(spec).removeprefix(f"{folder}/")


def check_text(path: Path) -> None:
    """Refuse what begins as no text does, by what it is: that a byte is not UTF-8 helps nobody who sent a picture."""
    if not path.is_file() or path.suffix in COMPRESSED or extension(path) == ".xlsx":  # packed, or known as a table
        return
    with path.open("rb") as file:
        head = file.read(4096)
    found = next((what for start, what in NO_TEXTS.items() if head.startswith(start)), None)
    if found is None and b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16 is told elsewhere
        found = "binary"
    if found is not None:
        raise InputError(f"{path}: this is {found}, not a text; send plain texts in UTF-8, one segment per line")
