#!/bin/sh
# Build the kernel with ASan and UBSan, and run its tests and the fuzz corpus with it.
# usage: tests/sanitize.sh PYTHON
set -eu
python=$1
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/sanitize
mkdir -p "$build"
facts=$("$python" -c '
import nanobind, sysconfig
from pathlib import Path
home = Path(nanobind.include_dir()).parent
print(sysconfig.get_path("include"), home, sysconfig.get_config_var("EXT_SUFFIX"))')
set -- $facts
kernel=$build/_kernel$3
c++ -std=c++20 -O1 -g -fPIC -shared -fvisibility=hidden -fsanitize=address,undefined -fno-sanitize-recover=undefined \
    -I"$1" -I"$2/include" -I"$2/ext/robin_map/include" -I"$root/kernel" \
    "$2/src/nb_combined.cpp" "$root"/kernel/*.cpp -o "$kernel"
# Python itself is not instrumented: the runtimes have to be loaded first (libstdc++ too, or a C++ exception finds no
# way out), and Python's own leaks are not ours.
ASAN_OPTIONS=detect_leaks=0 TERTIUM_KERNEL=$kernel \
    LD_PRELOAD="$(c++ -print-file-name=libasan.so) $(c++ -print-file-name=libstdc++.so)" \
    "$python" -m pytest -q -p no:cacheprovider -m "not slow" "$root"/tests/unit/test_kernel*.py "$root/tests/laws"
