// The main() of every test program: runs doctest, and prints a summary line that tools/summary.py reads.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
