#include "bench/pairs/claims.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

namespace ofindex {
namespace {

std::vector<std::pair<BenchClaim, double>>& Reported() {
  static std::vector<std::pair<BenchClaim, double>> reported;
  return reported;
}

std::string Number(double value, const std::string& unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3g", value);
  return unit.empty() ? text : text + (" " + unit);
}

std::string Asked(const BenchClaim& claim) {
  if (claim.bound == BenchClaim::Bound::kNone) return "nothing";
  return (claim.bound == BenchClaim::Bound::kAtLeast ? "at least " : "at most ") + Number(claim.asked, claim.unit);
}

bool Keeps(const BenchClaim& claim, double got) {
  switch (claim.bound) {
    case BenchClaim::Bound::kAtLeast: return got >= claim.asked;
    case BenchClaim::Bound::kAtMost: return got <= claim.asked;
    case BenchClaim::Bound::kNone: return true;
  }
  return false;
}

}  // namespace

void Report(const BenchClaim& claim, double got) {
  auto& reported = Reported();
  const auto same = [&](const auto& line) { return line.first.name == claim.name; };
  const auto before = std::find_if(reported.begin(), reported.end(), same);
  if (before != reported.end()) before->second = got;
  if (before == reported.end()) reported.emplace_back(claim, got);
}

void PrintClaims() {
  std::puts("");
  for (const auto& [claim, got] : Reported()) {
    std::printf("%s: got %s, asked %s%s\n", claim.name.c_str(), Number(got, claim.unit).c_str(), Asked(claim).c_str(),
                Keeps(claim, got) ? "" : "  SHORT");
  }
}

}  // namespace ofindex
