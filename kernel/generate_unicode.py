"""Write kernel/unicode_tables.h: the Unicode facts the kernel needs, as ranges.

Lower-casing and the sets behind the final sigma come from this interpreter's `str.lower`, because the field's
tools lower-case with Python; the general categories N, P and S come from the `regex` package, because
sacreBLEU's `intl` tokenizer reads them there. Run: `python kernel/generate_unicode.py`.
"""

import sys
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path

import regex

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]


def ranges(belongs: Callable[[str], bool]) -> list[tuple[int, int]]:
    """The maximal runs of code points for which `belongs` holds."""
    found: list[tuple[int, int]] = []
    for code in CODE_POINTS:
        if belongs(chr(code)):
            if found and found[-1][1] == code - 1:
                found[-1] = (found[-1][0], code)
            else:
                found.append((code, code))
    return found


def category(letter: str) -> Callable[[str], bool]:
    pattern = regex.compile(rf"\p{{{letter}}}")
    return lambda char: pattern.match(char) is not None


def is_cased(char: str) -> bool:
    """Cased and not case-ignorable: a capital sigma after it is final."""
    return (char + "Σ").lower().endswith("ς")


def is_ignorable(char: str) -> bool:
    """Case-ignorable: a capital sigma looks through it at the cased letter before."""
    return ("A" + char + "Σ").lower().endswith("ς") and not is_cased(char)


def lower_runs() -> list[tuple[int, int, int, int]]:
    """(first, last, step, delta) runs of code points whose lower case is another single code point."""
    runs: list[tuple[int, int, int, int]] = []
    for code in CODE_POINTS:
        low = chr(code).lower()
        if len(low) != 1 or ord(low) == code:
            continue
        delta = ord(low) - code
        if runs and runs[-1][3] == delta:
            first, last, step, _ = runs[-1]
            gap = code - last
            if gap in (1, 2) and (first == last or gap == step):
                runs[-1] = (first, code, gap, delta)
                continue
        runs.append((code, code, 1, delta))
    return runs


def rows(items: Iterable[tuple[int, ...]]) -> str:
    cells = ["{" + ", ".join(f"0x{x:X}" if x >= 0 else str(x) for x in item) + "}" for item in items]
    lines, line = [], "   "
    for cell in cells:
        if len(line) + len(cell) > 108:
            lines.append(line)
            line = "   "
        line += f" {cell},"
    return "\n".join([*lines, line])


def main() -> None:
    multiple = [c for c in CODE_POINTS if len(chr(c).lower()) != 1]
    if multiple != [0x130]:
        sys.exit(f"only U+0130 is expected to lower-case to two code points; got {multiple}")
    parts = [
        "// Made by kernel/generate_unicode.py; do not edit.",
        f"// str.lower of Unicode {unicodedata.unidata_version}; categories of regex {regex.__version__}.",
        "#pragma once",
        "#include <cstdint>",
        "namespace tertium::unicode_tables {",
        "struct Range { uint32_t first, last; };",
        "struct LowerRun { uint32_t first, last, step; int32_t delta; };",
    ]
    sets = {
        "numbers": category("N"),
        "punctuation": category("P"),
        "symbols": category("S"),
        "cased": is_cased,
        "case_ignorable": is_ignorable,
    }
    for name, belongs in sets.items():
        parts.append(f"inline constexpr Range {name}[] = {{\n{rows(ranges(belongs))}\n}};")
    parts.append(f"inline constexpr LowerRun lower[] = {{\n{rows(lower_runs())}\n}};")
    parts.append("}  // namespace tertium::unicode_tables")
    Path(__file__).with_name("unicode_tables.h").write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
