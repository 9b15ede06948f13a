"""Make the catalogue of test sets from the table of sacreBLEU 2.6.0, which has to be installed.

    python tools/make_catalogue.py

Addresses, checksums, names of files, annotations of documents and citations are that table's facts; titles are ours.
"""

import json
import re
from pathlib import Path

import sacrebleu
from sacrebleu.dataset import DATASETS, SUBSETS

DATA = Path(__file__).parents[1] / "src" / "tertium" / "io" / "data"
WANTED = "2.6.0"
HEAD = f"""\
# Made by tools/make_catalogue.py; do not edit. Addresses, checksums (MD5), names of files and citations are from the
# table of sacreBLEU {WANTED} (Copyright 2017-2018 Amazon.com, Inc. or its affiliates; Apache License 2.0, as this is);
# the titles are ours. That table states no licence of the texts: ask those who published them.
"""
LAYOUTS = {
    "FakeSGMLDataset": "sgml", "WMTAdditionDataset": "sgml", "IWSLTXMLDataset": "sgml", "WMTXMLDataset": "xml",
    "PlainTextDataset": "plain", "TSVDataset": "tsv",
}  # fmt: skip
CAMPAIGNS = {"wmt": "WMT", "iwslt": "IWSLT", "mtedx": "Multilingual TEDx", "multi30k": "Multi30k", "mtnt": "MTNT"}
PARTS = {
    "dev": "development sets", "tworefs": "two references", "systems": "with outputs of systems",
    "full": "all segments",
    "test-ts": "with test suites among the segments", "improved": "improved references", "nc": "news commentary",
    "europarl": "Europarl", "robust": "robustness task", "ms": "further references by Microsoft",
    "google": "further references by Google", "valid": "validation set", "test": "test set", "train": "training set",
    "hqr": "the better reference of two", "hqp": "the better paraphrase of two", "hqall": "the best of four references",
    "ar": "another reference", "arp": "paraphrases of the other reference", "wmtp": "paraphrases of WMT's reference",
    **{who: f"reference {who}" for who in "BCD"}, "AB": "references A and B", "AC": "references A and C",
}  # fmt: skip


def title(name: str) -> str:
    """`wmt20/robust/set1` -> `WMT 2020: robustness task, set 1`."""
    first, *rest = name.split("/")
    word, number = re.fullmatch(r"([a-z]+(?:30k)?)([\d.]*)", first).groups()
    year = f"20{number}" if len(number) == 2 else number
    said = [PARTS.get(part) or re.sub(r"^(tst|dev|set)(?=\d)", r"\1 ", part) for part in rest]
    return f"{CAMPAIGNS[word]} {year}".strip() + (f": {', '.join(said)}" if said else "")


def text(value: str) -> str:
    """A string of TOML."""
    return json.dumps(value, ensure_ascii=False)


def entry(name: str, citations: dict[str, str]) -> str:
    """The lines of one test set."""
    known = DATASETS[name]
    lines = [f"[{text(name)}]", f"title = {text(title(name))}", f"layout = {text(LAYOUTS[type(known).__name__])}"]
    lines.append('licence = "not stated by the source of this entry"')
    if known.citation:
        lines.append(f"citation = {text(citations[known.citation])}")
    if known.kwargs.get("refs"):
        lines.append(f"refs = {json.dumps(known.kwargs['refs'])}")
    for address, md5 in zip(known.data, known.md5, strict=True):
        lines += [f"[[{text(name)}.files]]", f"address = {text(address)}", f"md5 = {text(md5)}"]
        lines.append(f'source = "sacreBLEU {WANTED}"')
    lines.append(f"[{text(name)}.pairs]")
    for pair, paths in known.langpairs.items():
        if isinstance(paths, dict):
            refs = f", refs = {json.dumps(paths['refs'])}" if "refs" in paths else ""
            lines.append(f"{pair} = {{ path = {text(paths['path'])}{refs} }}")
        else:
            lines.append(f"{pair} = {json.dumps(list(paths), ensure_ascii=False)}")
    return "\n".join(lines)


def main() -> None:
    """Write both files."""
    assert sacrebleu.__version__ == WANTED, sacrebleu.__version__
    cited = list(dict.fromkeys(known.citation for known in DATASETS.values() if known.citation))
    keys: dict[str, str] = {}
    for citation in cited:
        key = re.search(r"@\w+\{([^,]+),", citation)[1].strip()
        again = sum(other.split(" ")[0] == key for other in keys.values())
        keys[citation] = f"{key} {again + 1}" if again else key
    parts = [HEAD, *(entry(name, keys) + "\n" for name in DATASETS), "[citations]"]
    parts += [f"{text(keys[citation])} = {text(citation)}" for citation in cited]
    (DATA / "testsets.toml").write_text("\n".join(parts) + "\n")
    (DATA / "testset-documents.json").write_text(json.dumps(SUBSETS, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
