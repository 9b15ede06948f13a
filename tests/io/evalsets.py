"""Folders as mt-metrics-eval lays them out, written for the tests."""

from pathlib import Path

SOURCES = ["Der Hund bellt.", "Es regnet.", "Wir gehen heim.", "Guten Abend."]
REFERENCES = {"refA": ["The dog barks.", "It is raining.", "We go home.", "Good evening."],
              "refB": ["A dog is barking.", "It rains.", "We are going home.", "Good evening to you."]}  # fmt: skip
OUTPUTS = {"alder": ["The dog barks.", "It rains.", "We go home.", "Good evening."],
           "birch": ["The dog is loud.", "Rain.", "We walk home.", "Good night."],
           "cedar": ["Dog.", "It is wet.", "Home.", "Evening."]}  # fmt: skip
MQM = {"alder": [0, -1, 0, 0], "birch": [-5, None, -1, -5], "cedar": [-5, -6, -10, -1], "refB": [0, 0, 0, 0]}
COMET = {"alder": [0.9, 0.8, 0.9, 0.9], "birch": [0.5, 0.3, 0.7, 0.4], "cedar": [0.2, 0.4, 0.1, 0.5],
         "refB": [0.9, 0.9, 0.9, 0.9]}  # fmt: skip
DOCUMENTS = ["news one", "news one", "chat two", "chat two"]


def scores(table: dict[str, list]) -> list[str]:
    """SYSTEM SCORE on each line."""
    return [f"{system}\t{value}" for system, values in table.items() for value in values]


def write(folder: Path, name: str, lines: list[str]) -> Path:
    """A file of the folder."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def write_evalset(folder: Path, pair: str = "de-en") -> Path:
    """A whole one; its folder."""
    write(folder, f"sources/{pair}.txt", SOURCES)
    write(folder, f"documents/{pair}.docs", DOCUMENTS)
    for name, lines in REFERENCES.items():
        write(folder, f"references/{pair}.{name}.txt", lines)
        write(folder, f"system-outputs/{pair}/{name}.txt", lines)
    for name, lines in OUTPUTS.items():
        write(folder, f"system-outputs/{pair}/{name}.txt", lines)
    write(folder, f"human-scores/{pair}.mqm.seg.score", scores(MQM))
    write(folder, f"human-scores/{pair}.mqm.sys.score", ["alder -0.25", "birch None", "cedar -5.5", "refB 0"])
    write(folder, f"human-scores/{pair}.mqm.domain.score",
          ["news alder -0.5", "news birch -5", "news cedar None", "chat alder 0", "chat birch -3", "chat cedar -5.5"],
    )  # fmt: skip
    write(folder, f"metric-scores/{pair}/comet-refA.seg.score", scores(COMET))
    write(folder, f"metric-scores/{pair}/comet-refA.sys.score", ["alder 0.95", "birch 0.4", "cedar 0.3", "refB 0.9"])
    write(folder, f"metric-scores/{pair}/kiwi-src.seg.score", scores(COMET))
    write(folder, f"metric-scores/{pair}/chrf-refB.seg.score", scores({k: v for k, v in COMET.items() if k != "refB"}))
    return folder
