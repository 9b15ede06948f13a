"""tertium measures machine translation. The public names, each loaded when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tertium.analysis.buckets import buckets as buckets
    from tertium.analysis.contrast import compare_types as compare_types
    from tertium.analysis.damage import type_damage as type_damage
    from tertium.analysis.diagnose import diagnose as diagnose
    from tertium.analysis.favouritism import benefits as benefits
    from tertium.analysis.favouritism import disagreements as disagreements
    from tertium.analysis.favouritism import favouritism as favouritism
    from tertium.analysis.mbr import mbr as mbr
    from tertium.analysis.mbr import rerank as rerank
    from tertium.analysis.ngrams import ngrams as ngrams
    from tertium.analysis.noise.outputs import noised_pairs as noised_pairs
    from tertium.analysis.pairwise import pairwise as pairwise
    from tertium.analysis.stress import stress as stress
    from tertium.analysis.types import types as types
    from tertium.analysis.walkthrough import walk_through as explain
    from tertium.core.errors import TertiumError as TertiumError
    from tertium.core.evaluation import Evaluation as Evaluation
    from tertium.core.judgement import Judgement as Judgement
    from tertium.core.lines import Lines as Lines
    from tertium.core.metric import Metric as Metric
    from tertium.core.metric import metric as metric
    from tertium.core.run import Run as Run
    from tertium.core.run import TertiumWarning as TertiumWarning
    from tertium.core.score import Score as Score
    from tertium.core.stats import Stats as Stats
    from tertium.core.system import System as System
    from tertium.core.testset import References as References
    from tertium.core.testset import TestSet as TestSet
    from tertium.core.version import VERSION as __version__
    from tertium.engines.annotate import annotate as annotate
    from tertium.engines.evaluate import add_metrics as add_metrics
    from tertium.engines.evaluate import evaluate as evaluate
    from tertium.human.agreement import agreement as agreement
    from tertium.human.effort.analysis import effort as effort
    from tertium.human.quality import rater_quality as rater_quality
    from tertium.human.ranking import rank_systems as rank_systems
    from tertium.inference.compare import compare as compare
    from tertium.inference.scores import score as score
    from tertium.inference.scores import scores as scores
    from tertium.io.edits import read_edits as read_edits
    from tertium.io.evaluation import save_evaluation as save
    from tertium.io.ratings.formats import read_ratings as read_ratings
    from tertium.io.ratings.formats import write_ratings as write_ratings
    from tertium.io.testset import read_testset as read_testset
    from tertium.meta.correlate import correlate as correlate
    from tertium.meta.evaluate import meta_evaluate as meta_evaluate
    from tertium.meta.frozen import freeze as freeze
    from tertium.meta.frozen import read_frozen as read_frozen
    from tertium.meta.meaning import meaning as meaning
    from tertium.meta.meaning import published_curves as published_curves
    from tertium.meta.preference import preferences as preferences
    from tertium.meta.table import score_table as score_table
    from tertium.metrics import load as load
    from tertium.metrics import parse as parse
    from tertium.metrics.function import metric_from as metric_from
    from tertium.prompt.answers import answer as answer
    from tertium.prompt.experiment import run_grid as run_grid
    from tertium.prompt.search.preparing import search_templates as search_templates
    from tertium.prompt.template import Template as Template
    from tertium.prompt.translate import translate as translate
    from tertium.report.alignments import alignments as alignments
    from tertium.report.report import make_report as make_report
    from tertium.report.several import report_several as report_several
    from tertium.retrieval.correlate import correlate_retrieval as correlate_retrieval
    from tertium.retrieval.experiment import build_retrieval as build_retrieval
    from tertium.retrieval.experiment import run_retrieval as run_retrieval
    from tertium.retrieval.experiment import score_retrieval as score_retrieval
    from tertium.retrieval.explain import explain_retrieval as explain_retrieval
    from tertium.retrieval.result import retrieve as retrieve
    from tertium.text.resegment import resegment as resegment
    from tertium.text.words import align as align
    from tertium.text.words import tokenize as tokenize

_HOME = {
    "Evaluation": "core.evaluation",
    "Judgement": "core.judgement",
    "Lines": "core.lines",
    "Metric": "core.metric",
    "References": "core.testset",
    "Run": "core.run",
    "Score": "core.score",
    "Stats": "core.stats",
    "System": "core.system",
    "Template": "prompt.template",
    "TertiumError": "core.errors",
    "TertiumWarning": "core.run",
    "TestSet": "core.testset",
    "__version__": "core.version:VERSION",
    "add_metrics": "engines.evaluate",
    "agreement": "human.agreement",
    "align": "text.words",
    "alignments": "report.alignments",
    "annotate": "engines.annotate",
    "answer": "prompt.answers",
    "benefits": "analysis.favouritism",
    "buckets": "analysis.buckets",
    "build_retrieval": "retrieval.experiment",
    "compare": "inference.compare",
    "compare_types": "analysis.contrast",
    "correlate": "meta.correlate",
    "correlate_retrieval": "retrieval.correlate",
    "diagnose": "analysis.diagnose",
    "disagreements": "analysis.favouritism",
    "effort": "human.effort.analysis",
    "evaluate": "engines.evaluate",
    "explain": "analysis.walkthrough:walk_through",
    "explain_retrieval": "retrieval.explain",
    "favouritism": "analysis.favouritism",
    "freeze": "meta.frozen",
    "load": "metrics",
    "make_report": "report.report",
    "mbr": "analysis.mbr",
    "meaning": "meta.meaning",
    "meta_evaluate": "meta.evaluate",
    "metric": "core.metric",
    "metric_from": "metrics.function",
    "ngrams": "analysis.ngrams",
    "noised_pairs": "analysis.noise.outputs",
    "pairwise": "analysis.pairwise",
    "parse": "metrics",
    "preferences": "meta.preference",
    "published_curves": "meta.meaning",
    "rank_systems": "human.ranking",
    "rater_quality": "human.quality",
    "read_edits": "io.edits",
    "read_frozen": "meta.frozen",
    "read_ratings": "io.ratings.formats",
    "read_testset": "io.testset",
    "report_several": "report.several",
    "rerank": "analysis.mbr",
    "resegment": "text.resegment",
    "retrieve": "retrieval.result",
    "run_grid": "prompt.experiment",
    "run_retrieval": "retrieval.experiment",
    "save": "io.evaluation:save_evaluation",
    "score": "inference.scores",
    "score_retrieval": "retrieval.experiment",
    "score_table": "meta.table",
    "scores": "inference.scores",
    "search_templates": "prompt.search.preparing",
    "stress": "analysis.stress",
    "tokenize": "text.words",
    "translate": "prompt.translate",
    "type_damage": "analysis.damage",
    "types": "analysis.types",
    "write_ratings": "io.ratings.formats",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tertium' has no attribute {name!r}")
    module, _, attribute = _HOME[name].partition(":")
    value = getattr(import_module(f"tertium.{module}"), attribute or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_HOME)
