"""Corpora that grow: CPU time and memory of both engines from 10^4 to 10^7 segments. `python benchmarks/scale.py`

Test data are repeated with variation: in each round another number stands at the end of the lines. They are Parquet
shards of at most 250,000 rows, written to a temporary folder (about 1 GB at the end) and removed. Each size is scored
by `tertium score` with BLEU and chrF, once by each engine; both must print the same. What is counted is a whole command
and all processes that it starts: CPU time, and the sum of their proportional set sizes, looked at five times a
second. Beside them stands the kernel alone: the same counting, on one thread, of texts that lie in memory.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from run import ROOT, load

SHARD = 250_000
METRICS = "bleu,chrf"
ALONE = 50_000  # segments in memory
STRINGS = ("bleu", "chrf", "chrf(words=2)", "ter", "wer", "cer", "macrof", "meteor", "hlepor", "lexical")
TICKS = os.sysconf("SC_CLK_TCK")


def varied(lines: list[str], first: int, count: int) -> list[str]:
    """Lines over and over, from number `first` on."""
    n = len(lines)
    return [f"{lines[i % n]} {i // n}" for i in range(first, first + count)]


def write(folder: Path, segments: int, outputs: list[str], references: list[str]) -> int:
    """Shards of a corpus; their bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    size = 0
    for number, first in enumerate(range(0, segments, SHARD)):
        rows = min(SHARD, segments - first)
        path = folder / f"part-{number:04d}.parquet"
        pq.write_table(
            pa.table({"ref": varied(references, first, rows), "mt": varied(outputs, first, rows)}), path,
            compression="zstd", row_group_size=50_000,
        )  # fmt: skip
        size += path.stat().st_size
    return size


def family(root: int) -> set[int]:
    """A process and all that come from it."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = {root}
    while more := {process for process, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def look(process: int) -> tuple[float, float]:
    """CPU seconds and proportional megabytes of a process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    rolled = Path(f"/proc/{process}/smaps_rollup").read_text()
    pss = next(int(line.split()[1]) for line in rolled.splitlines() if line.startswith("Pss:"))
    return (int(fields[11]) + int(fields[12])) / TICKS, pss / 1024


def measured(arguments: list[str], folder: Path) -> tuple[dict[str, Any], str]:
    """A command: seconds of CPU of all its processes, seconds, peak megabytes, and what it printed."""
    begin, peak, seconds = time.monotonic(), 0.0, dict[int, float]()
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(arguments, cwd=folder, stdout=out)
        known, turn = {process.pid}, 0
        while process.poll() is None:
            known, turn, together = family(process.pid), turn + 1, 0.0
            for each in known:
                try:
                    seconds[each], memory = look(each)
                except (OSError, StopIteration):
                    continue
                together += memory
            peak = max(peak, together)
            time.sleep(0.2)
        if process.returncode:
            sys.exit(f"{' '.join(arguments)}: ended with {process.returncode}")
        out.seek(0)
        printed = out.read()
    found = {"cpu_seconds": sum(seconds.values()), "seconds": time.monotonic() - begin, "peak_mb": peak}
    return found, printed


def score(metrics: str, *more: str) -> list[str]:
    tertium = Path(sys.executable).parent / "tertium"
    names = ["--ref", "part-*.parquet:ref", "--hyp", "mt=part-*.parquet:mt"]
    return [str(tertium), "score", *names, "-m", metrics, "-f", "json", *more]


def alone(outputs: list[str], references: list[str]) -> float:
    """Segments that the kernel counts in a second of CPU, on one thread, of texts in memory; median of 5."""
    import tertium as tt
    from tertium.engines import door

    n, times = ALONE, []
    lines, others = tt.Lines.of(varied(outputs, 0, n)), tt.Lines.of(varied(references, 0, n))
    for _ in range(5):
        testset = tt.TestSet(segments=n, references=tt.References((others,), n))
        start = time.process_time()
        for metric in map(tt.parse, METRICS.split(",")):
            prepared = door.prepare(metric, testset, tt.Run(threads=1))
            door.count(metric, lines, prepared, tt.Run(threads=1)).sums()
        times.append(time.process_time() - start)
    return n / median(times)


def growth(sizes: list[int], engines: list[str], threads: int, texts: tuple[list[str], list[str]]) -> list[Any]:
    rows = []
    for segments in sizes:
        with tempfile.TemporaryDirectory(prefix="tertium-scale-") as name:
            folder, said = Path(name), dict[str, Any]()
            size = write(folder, segments, *texts)
            for engine in engines:
                before = alone(*texts)
                asked = score(METRICS, "--engine", engine, "--threads", str(threads))
                found, said[engine] = measured(asked, folder)
                kernel = (before + alone(*texts)) / 2  # beside it in time: the speed of a shared computer varies
                row = {"segments": segments, "engine": engine, "input_mb": size / 2**20, **found,
                       "per_core": segments / found["cpu_seconds"], "kernel_per_core": kernel}  # fmt: skip
                rows.append(row | {"share_of_kernel": row["per_core"] / kernel})
                print(
                    f"{segments:>10,} {engine:<5} {row['cpu_seconds']:8.2f} s of CPU {row['seconds']:8.2f} s "
                    f"{row['peak_mb']:6.0f} MB {row['per_core']:10,.0f} segments/s and core, "
                    f"{rows[-1]['share_of_kernel']:.2f} of the kernel's {kernel:,.0f}",
                    flush=True,
                )
            if len(set(said.values())) > 1:
                sys.exit(f"{segments} segments: engines differ\n" + "\n".join(said.values()))
    return rows


def table(segments: int, texts: tuple[list[str], list[str]]) -> list[Any]:
    """Every metric by itself, on one thread."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="tertium-scale-") as name:
        write(Path(name), segments, *texts)
        for metric in STRINGS:
            found, _ = measured(score(metric, "--threads", "1"), Path(name))
            rows.append({"metric": metric, "segments": segments, **found, "per_core": segments / found["cpu_seconds"]})
            print(
                f"{metric:<14} {rows[-1]['per_core']:10,.0f} segments/s and core {found['peak_mb']:6.0f} MB", flush=True
            )
    return rows


WIDTH, HEIGHT, MARGIN = 320, 240, 60  # of a panel, and around it
STYLES = {"local": 'stroke="#1b5e9c"', "ray": 'stroke="#b3501b" stroke-dasharray="6 4"'}


def decades(values: list[float]) -> range:
    """The powers of ten that a logarithmic axis has."""
    return range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)


def panel(rows: list[Any], field: str, title: str, left: int) -> list[str]:
    """A growth curve for each engine, on logarithmic axes."""
    across, up = decades([row["segments"] for row in rows]), decades([row[field] for row in rows])

    def x(value: float) -> float:
        return left + WIDTH * (math.log10(value) - across[0]) / max(1, len(across) - 1)

    def y(value: float) -> float:
        return MARGIN + HEIGHT * (1 - (math.log10(value) - up[0]) / max(1, len(up) - 1))

    parts = [f'<text x="{left}" y="{MARGIN - 24}" font-weight="bold">{title}</text>']
    for power in across:
        at = f'x="{x(10**power):.1f}" y="{MARGIN + HEIGHT + 20}"'
        parts.append(f'<text {at} text-anchor="middle">{10**power:,}</text>')
    for power in up:
        at, label = y(10.0**power), f"{10**power:,}" if power >= 0 else f"{10.0**power:g}".lstrip("0")
        parts.append(f'<path d="M{left} {at:.1f}h{WIDTH}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">{label}</text>')
    for engine in dict.fromkeys(row["engine"] for row in rows):
        points = sorted((row["segments"], row[field]) for row in rows if row["engine"] == engine)
        places = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points)
        parts.append(f'<polyline points="{places}" fill="none" stroke-width="2" {STYLES[engine]}/>')
        parts.append(f'<text x="{x(points[0][0]) + 4:.1f}" y="{y(points[0][1]) - 8:.1f}">{engine}</text>')
    return parts


def draw(rows: list[Any], path: Path) -> None:
    """Two curves beside each other."""
    beside = WIDTH + 2 * MARGIN
    parts = panel(rows, "cpu_seconds", "CPU seconds, all processes", MARGIN)
    parts += panel(rows, "peak_mb", "peak MB, all processes", MARGIN + beside)
    parts += [
        f'<text x="{left + WIDTH}" y="{HEIGHT + MARGIN + 42}" text-anchor="end">segments</text>'
        for left in (MARGIN, MARGIN + beside)
    ]
    size = f'width="{2 * beside}" height="{HEIGHT + 2 * MARGIN}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13">'
    path.write_text("\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>\n"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10**k for k in range(4, 8)])
    parser.add_argument("--engines", nargs="*", default=["local", "ray"], choices=["local", "ray"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--table", type=int, default=200_000, help="segments for the table of metrics; 0: no table")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "scale.json")
    arguments = parser.parse_args()
    *texts, what = load()
    print(f"{what}, repeated; {METRICS}, {arguments.threads} threads or processes\n")
    rows = growth(arguments.sizes, arguments.engines, arguments.threads, (texts[0], texts[1]))
    metrics = table(arguments.table, (texts[0], texts[1])) if arguments.table else []
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    facts = {"data": what, "metrics": METRICS, "threads": arguments.threads, "cores": os.cpu_count()}
    facts |= {"python": sys.version, "growth": rows, "table": metrics}
    arguments.output.write_text(json.dumps(facts, indent=1))
    draw(rows, arguments.output.with_suffix(".svg"))
    print(f"\nwritten to {os.path.relpath(arguments.output)}, drawn in {arguments.output.with_suffix('.svg').name}")


if __name__ == "__main__":
    main()
