"""A small campaign on the disk, for servers and commands."""

from pathlib import Path

DOCUMENTS = ["d1"] * 3 + ["d2"] * 2
SOURCE = [f"Quelle {k}" for k in range(5)]
SYSTEMS = ("zephyrine", "quillmark")  # names that occur nowhere else, so that a page that told one would be found


def store_in(_folder: Path) -> str:
    """The address of a store in PostgreSQL; none: a file beside the campaign.toml."""
    return ""


def written(
    folder: Path,
    protocol: str = "da",
    *,
    raters: str = 'names = ["eva"]',
    batches: str = "size = 20",
    control: str = "",
    more: str = "",
    outputs: dict[str, list[str]] | None = None,
) -> Path:
    """The campaign.toml of five segments in two documents, two systems."""
    folder.mkdir(exist_ok=True)
    texts = outputs or {name: [f"output {name[0]}{k} of some words" for k in range(5)] for name in SYSTEMS}
    (folder / "source.de").write_text("".join(f"{line}\n" for line in SOURCE))
    (folder / "documents.txt").write_text("".join(f"{line}\n" for line in DOCUMENTS))
    (folder / "reference.en").write_text("".join(f"human text {k} here\n" for k in range(5)))
    for name, lines in texts.items():
        (folder / f"{name}.en").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    systems = ", ".join(f'{name} = "{name}.en"' for name in texts)
    (folder / "testset.toml").write_text(
        'name = "letters"\nsource_language = "de"\ntarget_language = "en"\nsource = "source.de"\n'
        f'references = ["reference.en"]\ndocuments = "documents.txt"\nsystems = {{ {systems} }}\n'
    )
    path = folder / "campaign.toml"
    address = store_in(folder)
    store = f'store = "{address}"\n' if address else ""
    path.write_text(
        f'testset = "testset.toml"\n{store}[protocol]\nname = "{protocol}"\n{more}\n[batches]\n{batches}\n'
        f"[control]\n{control}\n[raters]\n{raters}\n"
    )
    return path
