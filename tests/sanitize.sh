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
sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
# one object for each source, on all cores
printf '%s\0' "$2/src/nb_combined.cpp" "$root"/kernel/*.cpp | xargs -0 -P "$(nproc)" -I SOURCE sh -c '
    c++ -std=c++20 -O1 -g -fPIC -fvisibility=hidden '"$sanitizers"' -I"$1" -I"$2/include" -I"$2/ext/robin_map/include" \
        -I"$3/kernel" -c "$5" -o "$4/$(basename "$5").o"' - "$1" "$2" "$root" "$build" SOURCE
c++ -shared $sanitizers "$build"/*.o -o "$kernel"
# Python itself is not instrumented: the runtimes have to be loaded first (libstdc++ too, or a C++ exception finds no
# way out), and Python's own leaks are not ours.
ASAN_OPTIONS=detect_leaks=0 TERTIUM_KERNEL=$kernel \
    LD_PRELOAD="$(c++ -print-file-name=libasan.so) $(c++ -print-file-name=libstdc++.so)" \
    "$python" -m pytest -q -n auto -p no:cacheprovider -m "not slow" "$root"/tests/unit/test_kernel*.py "$root/tests/laws"
