#include "query/attaching/detach.h"

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/nearest_names.h"
#include "base/text.h"
#include "index/attachments/attachments_beside.h"
#include "index/catalog/paths.h"

namespace ofindex {
namespace {

// A file that nobody can read any more is removed if its first bytes say what it was.
Result<void> CheckMayRemove(const std::string& path) {
  OFINDEX_ASSIGN(const bool was_attachment, WasAttachment(path));
  if (was_attachment) return {};
  return Fail(ErrorCode::kIndex, StrCat(Printable(path), ": not a file of attached columns"),
              "move it away if the index is to have attached columns");
}

tl::unexpected<Error> NoSuchColumn(const std::string& name, const AttachmentFile& file) {
  std::vector<std::string> names;
  for (const AttachedColumn& column : file.columns()) names.push_back(column.name);
  std::string message = StrCat(Printable(file.path()), ": there is no attached column '", Printable(name), "'");
  const std::string meant = DidYouMean(NearestNames(name, names), "'");
  if (!meant.empty()) message += "; " + meant;
  return Fail(ErrorCode::kUsage, std::move(message), "`ofindex schema` lists the columns");
}

Result<DetachReport> Drop(AttachmentUpdate& update, const DetachRequest& request) {
  const AttachmentFile& old = *update.old();
  DetachReport report{.file = update.path(), .detached = {}, .left = {}};
  std::vector<const AttachedColumn*> kept;
  std::vector<bool> found(request.columns.size());
  for (const AttachedColumn& column : old.columns()) {
    bool dropped = request.all;
    for (size_t i = 0; i < request.columns.size(); ++i) {
      if (Folded(request.columns[i]) != Folded(column.name)) continue;
      found[i] = true;
      dropped = true;
    }
    (dropped ? report.detached : report.left).push_back(column.name);
    if (!dropped) kept.push_back(&column);
  }
  const auto missing = std::find(found.begin(), found.end(), false);
  if (missing != found.end()) {
    return NoSuchColumn(request.columns[static_cast<size_t>(missing - found.begin())], old);
  }
  if (kept.empty()) {
    OFINDEX_TRY(update.Remove());
    return report;
  }
  OFINDEX_ASSIGN(AttachmentWriter writer, update.Write(old.generation(), old.blocks()));
  for (const AttachedColumn* const column : kept) OFINDEX_TRY(writer.CopyColumn(old, *column));
  OFINDEX_TRY(writer.Finish());
  OFINDEX_TRY(update.Publish());
  return report;
}

}  // namespace

Result<DetachReport> Detach(const Snapshot& snapshot, const DetachRequest& request, const Progress& progress) {
  const std::string next = NextAttachedPathOf(snapshot.index()->place());
  OFINDEX_ASSIGN(const bool has_next, IsTaken(next));
  const bool drops_next = request.all && request.target.file.empty() && has_next;
  OFINDEX_ASSIGN(AttachmentUpdate update, AttachmentUpdate::Begin(snapshot, request.target, progress,
                                                                  request.all ? AttachmentUpdate::IfDamaged::kIgnore
                                                                              : AttachmentUpdate::IfDamaged::kFail));
  // What a killed update left has taken the place of the file, or is gone, unless nobody here can read it.
  OFINDEX_ASSIGN(const bool is_next_left, IsTaken(next));
  if (drops_next && is_next_left) {
    OFINDEX_TRY(CheckMayRemove(next));
    OFINDEX_TRY(RemoveAttachment(next));
  }
  if (update.old()) return Drop(update, request);
  OFINDEX_ASSIGN(const bool has_file, IsTaken(update.path()));
  if (drops_next && !has_file) return DetachReport{.file = update.path(), .detached = {}, .left = {}};
  if (!request.all || !has_file) {
    return Fail(ErrorCode::kUsage, StrCat(Printable(update.path()), ": there are no attached columns"),
                "attach some with `ofindex attach INDEX TABLE --key NAME`");
  }
  OFINDEX_TRY(CheckMayRemove(update.path()));
  OFINDEX_TRY(update.Remove());
  return DetachReport{.file = update.path(), .detached = {}, .left = {}};
}

}  // namespace ofindex
