#include "index/columns/derivations.h"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace ofindex {
namespace {

// The choice is stored on the one page of the table `dataset`, with that of columns.
constexpr size_t kMaxDerivedText = 16 << 10;

constexpr std::array kDerivedKinds = {DerivedKind::kImage, DerivedKind::kHash, DerivedKind::kLength};

constexpr std::array kImageRoles = {ColumnRole::kWidth, ColumnRole::kHeight, ColumnRole::kChannels,
                                    ColumnRole::kFormat};
constexpr std::array kHashRoles = {ColumnRole::kHash};
constexpr std::array kLengthRoles = {ColumnRole::kLength};

std::span<const ColumnRole> RolesOf(DerivedKind kind) {
  switch (kind) {
    case DerivedKind::kImage: return kImageRoles;
    case DerivedKind::kHash: return kHashRoles;
    case DerivedKind::kLength: return kLengthRoles;
  }
  return {};
}

}  // namespace

Result<Derivations> Derivations::Of(const std::vector<std::string>& arguments) {
  Derivations derivations;
  for (const std::string& argument : arguments) OFINDEX_TRY(derivations.Add(argument));
  OFINDEX_TRY(derivations.Settle());
  return derivations;
}

Result<void> Derivations::Add(const std::string& argument) {
  const size_t colon = argument.rfind(':');
  const std::string_view word = colon == std::string::npos ? "" : std::string_view(argument).substr(colon + 1);
  for (const DerivedKind kind : kDerivedKinds) {
    if (word != Name(kind)) continue;
    all_.push_back({argument.substr(0, colon), kind});
    return {};
  }
  return Fail(ErrorCode::kUsage,
              StrCat("derive: '", Printable(argument), "'; expected NAME:image, NAME:hash or NAME:length"),
              "name a feature whose values are bytes, such as image/encoded:image");
}

// Sorts the derivations and names their columns.
Result<void> Derivations::Settle() {
  std::sort(all_.begin(), all_.end(), [](const Derivation& a, const Derivation& b) {
    return std::tie(a.feature, a.kind) < std::tie(b.feature, b.kind);
  });
  all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
  if (all_.size() > kMaxDerivations) {
    return Fail(ErrorCode::kLimit, StrCat("derive: ", all_.size(), " derivations; expected at most ", kMaxDerivations),
                "derive fewer");
  }
  if (const size_t bytes = Text().size(); bytes > kMaxDerivedText) {
    return Fail(
        ErrorCode::kLimit,
        StrCat("derive: ", FormatCount(bytes), " bytes of names; expected at most ", FormatCount(kMaxDerivedText)),
        "derive fewer");
  }
  SqlNames names;
  for (const Derivation& each : all_) {
    for (const ColumnRole role : RolesOf(each.kind)) {
      std::string name = names.Take(StrCat(SqlName(each.feature), "#", Name(role)));
      columns_.push_back({each.feature, {role, std::move(name)}});
    }
  }
  return {};
}

std::string Derivations::Text() const {
  std::string text;
  for (const std::string& argument : Arguments()) text += StrCat(text.empty() ? "" : ",", EscapedName(argument));
  return text;
}

std::optional<Derivations> Derivations::ParseText(std::string_view text) {
  if (text.empty()) return Derivations();
  if (text.size() > kMaxDerivedText) return std::nullopt;
  auto derivations = Of(SplitNames(text));
  if (!derivations || derivations->Text() != text) return std::nullopt;
  return std::move(*derivations);
}

std::vector<std::string> Derivations::Arguments() const {
  std::vector<std::string> arguments;
  for (const Derivation& each : all_) arguments.push_back(StrCat(each.feature, ":", Name(each.kind)));
  return arguments;
}

std::vector<std::string> Derivations::Features() const {
  std::vector<std::string> features;
  for (const Derivation& each : all_) {
    if (features.empty() || features.back() != each.feature) features.push_back(each.feature);
  }
  return features;
}

std::vector<DerivedColumn> Derivations::ColumnsOf(std::string_view feature) const {
  std::vector<DerivedColumn> columns;
  for (const Named& each : columns_) {
    if (each.feature == feature) columns.push_back(each.column);
  }
  return columns;
}

void Derivations::ReserveNames(SqlNames& names) const {
  for (const Named& each : columns_) names.Reserve(each.column.name);
}

void Derivations::SetColumns(FeatureRow& row) const {
  row.derived.clear();
  if ((row.kinds & kBytesKind) != 0) row.derived = ColumnsOf(row.name);
}

}  // namespace ofindex
