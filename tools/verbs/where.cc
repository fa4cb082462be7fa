#include <memory>
#include <string>

#include "base/text.h"
#include "tools/options/attachments.h"
#include "tools/options/selecting.h"
#include "tools/ordinals/listed_records.h"
#include "tools/shell/json.h"
#include "tools/shell/output.h"
#include "tools/shell/watchdog.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

struct WhereArguments {
  std::string index;
  Expression expression;
  std::string ids;
  bool count = false;
};

// Writes the document piece by piece: there may be a hundred million ordinals.
Result<void> WriteIds(const Selection& selection, const Context& context, Output& out) {
  Result<void> written;
  bool first = true;
  selection.ForEach([&](uint64_t ordinal) {
    if (context.json) {
      written = out.Write(StrCat(first ? "" : ",", ordinal));
    } else {
      written = out.Line(context.jsonl ? StrCat("{\"_id\":", ordinal, "}") : StrCat(ordinal));
    }
    first = false;
    return written.has_value() && !context.progress.cancel;
  });
  if (context.progress.cancel) return Interrupted();
  return written;
}

Result<int> ShowWhere(const WhereArguments& arguments, const Context& context) {
  const Watchdog watchdog(std::nullopt, context);
  OFINDEX_ASSIGN(const std::shared_ptr<const Snapshot> snapshot,
                 Snapshot::Open(arguments.index, OpeningOptions(context)));
  OFINDEX_ASSIGN(Selection selection, SelectRecords(*snapshot, arguments.expression, context));
  if (!arguments.ids.empty()) {
    OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, snapshot->Columns());
    OFINDEX_ASSIGN(const View listed, ListedRecords(arguments.ids, *store, context));
    selection = Within(selection, listed);
  }
  Output& out = Output::Standard();
  if (context.json) OFINDEX_TRY(out.Write(StrCat("{\"schema\":\"ofindex.where/1\",\"count\":", selection.count())));
  if (context.json) OFINDEX_TRY(out.Write(",\"ids\":["));
  if (context.json || !arguments.count) OFINDEX_TRY(WriteIds(selection, context, out));
  if (context.json) {
    OFINDEX_TRY(out.Line("]}"));
  } else if (arguments.count) {
    const std::string count = StrCat(selection.count());
    OFINDEX_TRY(out.Line(context.jsonl ? StrCat("{\"count\":", count, "}") : count));
  }
  OFINDEX_TRY(out.Flush());
  return selection.count() == 0 ? 1 : 0;
}

}  // namespace

void AddWhere(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "where", "Ordinals of the records for which an SQL expression holds",
                      Formats::kJsonAndJsonl);
  auto arguments = std::make_shared<WhereArguments>();
  verb.AddArgument("INDEX", arguments->index, "The index, or the DATA that it is named after").Required();
  AddExpression(verb, arguments->expression);
  AddIds(verb, arguments->ids, "Only records of this list of ordinals, such as one of `ofindex split`");
  verb.AddFlag("--count", arguments->count, "Print only the number of records; with --json, also their ordinals");
  AddAttachments(verb, context);
  verb.Runs([arguments, &context] { return ShowWhere(*arguments, context); });
}

}  // namespace ofindex
