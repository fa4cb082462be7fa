#include "query/crossfilter/prepared_question.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace ofindex {
namespace {

Result<void> CheckQuestion(const ColumnStore& store, const CrossFilterQuestion& question) {
  for (const auto& dimension : question.dimensions) {
    if (dimension->store() == &store) continue;
    return Fail(ErrorCode::kUsage,
                StrCat("the dimension of column \"", dimension->column().name,
                       "\" is of another dataset: expected one of this"),
                "make the dimension from the same snapshot");
  }
  if (question.among == nullptr) return {};
  const auto same = [](const BlockMetadata& a, const BlockMetadata& b) {
    return a.first_record == b.first_record && a.records == b.records;
  };
  const std::vector<BlockMetadata>& blocks = question.among->blocks();
  if (std::equal(blocks.begin(), blocks.end(), store.blocks().begin(), store.blocks().end(), same)) return {};
  return Fail(
      ErrorCode::kUsage,
      StrCat("the ", question.among->count(), " selected records are of another dataset: expected some of this one"),
      "select the records in the same snapshot");
}

}  // namespace

Result<PreparedQuestion> PreparedQuestion::Of(ColumnStore& store, const CrossFilterQuestion& question,
                                              const Progress& progress) {
  OFINDEX_TRY(CheckQuestion(store, question));
  OFINDEX_ASSIGN(auto conditions, ConditionsOf(store, question.filters, question.dimensions, progress));
  PreparedQuestion prepared{.store = store, .question = question, .conditions = std::move(conditions), .own = {}};
  for (const auto& dimension : question.dimensions) {
    std::optional<size_t> own;
    for (size_t c = 0; c < prepared.conditions.size(); ++c) {
      if (prepared.conditions[c].column().number() == dimension->column().number()) own = c;
    }
    prepared.own.push_back(own);
  }
  return prepared;
}

}  // namespace ofindex
