"""The judges: every statistic of the kernel once more, naively, from its definition.

Nothing here is fast and nothing here is imported by the package. The kernel is fuzzed against these
functions, and they are compared with sacreBLEU 2.6.0 and jiwer 4.0.0 in `test_against_peers.py`.
"""
