# shellcheck shell=bash
# Runs tests under sanitizers. tools/test and tools/fuzz source this file:
#
#   memory_error_options    options of meson for builds that find memory errors, undefined behaviour and wrapped numbers
#   run_sanitizers          builds with clang, in build-asan/ and build-tsan/, and runs there the suites named below;
#                           tools/test has the functions that it calls
#
# Both builds have the extension for a debug Python, which tests run in development mode.

# Line tables are all that a report needs, and -O1 is what the sanitizers' documentation advises: both build faster.
sanitized=(--buildtype=debugoptimized -Doptimization=1 -Db_lundef=false)

# Numbers that wrap and conversions that change a number are errors too, but for what tests/wrapping.txt lists.
memory_error_options=("${sanitized[@]}" -Db_sanitize=address,undefined
  "-Dcpp_args=-gline-tables-only -fsanitize=integer -fsanitize-ignorelist=$PWD/tests/wrapping.txt")

memory_errors() {
  CXX=clang++-14 configure build-asan "${memory_error_options[@]}" "${checked[@]}" -Dfuzz=true
  echo "Running the tests under AddressSanitizer and UndefinedBehaviorSanitizer."
  run_tests build-asan --timeout-multiplier=5 --suite unit --suite hostile --suite checked
}

data_races() {
  CXX=clang++-14 configure build-tsan "${sanitized[@]}" "${checked[@]}" -Db_sanitize=thread \
    -Dcpp_args=-gline-tables-only
  echo "Running the tests with threads under ThreadSanitizer."
  run_tests build-tsan --timeout-multiplier=5 --suite threads --suite checked
}

run_sanitizers() {
  # The sanitizers of clang 14 fail at random if the kernel randomises mappings with 32 bits (google/sanitizers, issues
  # 1614 and 1716). Programs without address randomisation are not affected.
  launcher=(setarch "$(uname -m)" -R)
  "${launcher[@]}" true 2>/dev/null || launcher=()
  export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  export LSAN_OPTIONS=suppressions=$PWD/tests/leaks.supp:print_suppressions=0
  export MESON_TESTTHREADS=2

  # The run with gcc has tried all random cases; sanitizers need some of them.
  export OFINDEX_PARTITIONS=${OFINDEX_PARTITIONS:-20}
  export OFINDEX_QUERY_DATASETS=${OFINDEX_QUERY_DATASETS:-10} OFINDEX_FORGERIES=${OFINDEX_FORGERIES:-20}
  export OFINDEX_AGGREGATE_STATEMENTS=${OFINDEX_AGGREGATE_STATEMENTS:-4000} OFINDEX_CUT_STEP=${OFINDEX_CUT_STEP:-7}
  export OFINDEX_LOADER_SCENARIOS=${OFINDEX_LOADER_SCENARIOS:-40}

  local checked=()
  if make_environment build/checked tests/python/checked.txt python3-dbg; then
    checked=("-Dchecked_python=$PWD/build/checked/bin/python")
  else
    status=1
  fi
  memory_errors
  data_races
}
