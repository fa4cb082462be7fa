// GET /api/value and /api/numbers: one value of a record as bytes, or its numbers.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/checksum.h"
#include "base/text.h"
#include "tools/serve/answerers.h"
#include "tools/serve/records/record_payload.h"
#include "tools/serve/records/shown_features.h"
#include "tools/serve/records/value_answer.h"
#include "tools/serve/requests/open_questions.h"
#include "tools/serve/requests/parameters.h"

namespace ofindex {
namespace {

// The value that a request names.
struct NamedValue {
  uint64_t ordinal = 0;
  std::string feature = {};  // empty: the whole payload
  uint64_t index = 0;
  uint64_t step = 0;
  std::string tag = {};
};

Result<NamedValue> NamedIn(const Asked& asked) {
  OFINDEX_ASSIGN(const Parameters parameters, Parameters::Of(asked.request, {"ordinal", "feature", "index", "step"}));
  NamedValue named{.feature = parameters.Text("feature")};
  OFINDEX_ASSIGN(named.ordinal, parameters.RequiredNumber("ordinal", UINT64_MAX));
  OFINDEX_ASSIGN(named.index, parameters.Number("index", 0, UINT64_MAX));
  OFINDEX_ASSIGN(named.step, parameters.Number("step", 0, UINT64_MAX));
  named.tag = StrCat("\"", asked.dataset.build(), "-", named.ordinal, "-", ToHex(AsBytes(named.feature)), "-",
                     named.step, "-", named.index, "\"");
  return named;
}

// Answers with what `answer` finds in the record of `named`, unless the client has the value already.
template <typename Answer>
Result<Response> AnswerWith(const Asked& asked, const NamedValue& named, const Answer& answer) {
  if (std::optional<Response> unchanged = UnchangedAnswer(asked.request, named.tag)) return std::move(*unchanged);
  const std::shared_ptr<OpenQuestion> question = asked.shared.questions->Begin(asked.request);
  RecordPayload payload(asked.shared.records, question->progress());
  Result<Response> response = answer(payload);
  if (!response) return tl::unexpected(question->Explain(std::move(response).error()));
  return response;
}

// Reads the record of `named` and decodes it.
Result<void> ReadPayload(const Asked& asked, const NamedValue& named, RecordPayload& payload) {
  OFINDEX_TRY(payload.Read(asked.dataset.dataset(), named.ordinal));
  return payload.Decode();
}

Result<Response> WholePayload(const Asked& asked, const NamedValue& named, RecordPayload& payload) {
  OFINDEX_TRY(payload.ReadBytes(asked.dataset.dataset(), named.ordinal));
  return ValueAnswer(payload.bytes(), named.tag);
}

Result<Response> ValueIn(const Asked& asked, const NamedValue& named, RecordPayload& payload) {
  OFINDEX_ASSIGN(const PayloadKind kind, RecordPayload::KindOf(asked.dataset.dataset(), named.ordinal));
  if (kind == PayloadKind::kOpaque || named.feature.empty()) return WholePayload(asked, named, payload);
  OFINDEX_TRY(ReadPayload(asked, named, payload));
  OFINDEX_ASSIGN(const FeatureValue value, FindFeature(payload.decoded(), named.feature, named.step));
  if (value.kind != FeatureKind::kBytes || named.index >= value.count) {
    return Fail(ErrorCode::kFeature,
                StrCat("feature '", Printable(named.feature), "' of record ", named.ordinal, " has no bytes value ",
                       named.index, "; it has ", Counted(value.count, "value"), " of kind ", Name(value.kind)),
                "'api/numbers' answers with numbers; values are numbered from 0");
  }
  return ValueAnswer(payload.decoded().bytes(value)[named.index], named.tag);
}

Result<Response> NumbersIn(const Asked& asked, const NamedValue& named, RecordPayload& payload) {
  OFINDEX_TRY(ReadPayload(asked, named, payload));
  OFINDEX_ASSIGN(const FeatureValue value, FindFeature(payload.decoded(), named.feature, named.step));
  return NumbersAnswer(payload.decoded(), value, named.tag);
}

}  // namespace

Result<Response> AnswerValue(const Asked& asked) {
  OFINDEX_ASSIGN(const NamedValue named, NamedIn(asked));
  return AnswerWith(asked, named, [&](RecordPayload& payload) { return ValueIn(asked, named, payload); });
}

Result<Response> AnswerNumbers(const Asked& asked) {
  OFINDEX_ASSIGN(const NamedValue named, NamedIn(asked));
  return AnswerWith(asked, named, [&](RecordPayload& payload) { return NumbersIn(asked, named, payload); });
}

}  // namespace ofindex
