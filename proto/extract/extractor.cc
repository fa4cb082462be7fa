#include "proto/extract/extractor.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "proto/extract/entry_extractor.h"
#include "proto/extract/extractor_source.h"
#include "proto/extract/found_features.h"
#include "proto/extract/name_table.h"
#include "proto/extract/path_extractor.h"
#include "proto/extract/path_tree.h"
#include "proto/extract/uniform_run.h"

namespace ofindex {

class Extractor::Body {
 public:
  Body(const FieldPlan& plan, std::span<const std::string> whole);

  [[nodiscard]] Outcome Extract(ByteView payload);
  [[nodiscard]] Outcome Extract(PayloadPages& pages, uint64_t length);

  [[nodiscard]] bool has_paths() const { return !path_names_.empty(); }
  [[nodiscard]] const FoundFeatures& found() const { return found_; }
  [[nodiscard]] const Malformed& malformed() const { return malformed_; }
  [[nodiscard]] const std::vector<std::string>& path_names() const { return path_names_; }
  [[nodiscard]] const NameTable& names() const { return names_; }
  [[nodiscard]] UniformRun& run() { return run_; }
  void Forget() {
    names_.Forget();
    cached_headers_.clear();
    run_.ExpectNothing();
  }

 private:
  [[nodiscard]] bool Begin(uint64_t length);
  template <typename Source>
  [[nodiscard]] bool Read(Source& source);
  template <typename Source>
  [[nodiscard]] bool ReadEntries(Source& source);
  template <typename Source>
  [[nodiscard]] bool ReadPaths(Source& source);
  void ViewStrings(ByteView payload);
  [[nodiscard]] bool CopyStrings(PagedSource& source);
  [[nodiscard]] uint64_t StringBytes() const;
  [[nodiscard]] Outcome Refuse(Outcome outcome);

  PayloadKind kind_;
  std::vector<std::string> path_names_;
  PathTree tree_;
  std::vector<PathLeaf> leaves_;
  PathExtractor<MemorySource> memory_paths_;
  PathExtractor<PagedSource> paged_paths_;
  NameTable names_;
  FoundFeatures found_;
  std::vector<CachedEntryHeader> cached_headers_;
  UniformRun run_;
  Malformed malformed_;
  std::vector<uint8_t> copied_;  // bytes values fetched from pages
};

Extractor::Body::Body(const FieldPlan& plan, std::span<const std::string> whole)
    : kind_(plan.kind()),
      tree_(plan.paths()),
      memory_paths_(tree_, leaves_),
      paged_paths_(tree_, leaves_),
      names_(whole) {
  const std::set<std::string> kept_whole(whole.begin(), whole.end());
  for (const FieldPlan::Path& path : plan.paths()) {
    leaves_.emplace_back(path, static_cast<uint32_t>(leaves_.size()), kept_whole.contains(path.name));
    path_names_.push_back(path.name);
  }
}

Extractor::Outcome Extractor::Body::Extract(ByteView payload) {
  if (!Begin(payload.size())) return Refuse(Outcome::kMalformed);
  MemorySource source(payload);
  if (!Read(source)) return Refuse(Outcome::kMalformed);
  ViewStrings(payload);
  return Outcome::kWellFormed;
}

Extractor::Outcome Extractor::Body::Extract(PayloadPages& pages, uint64_t length) {
  if (!Begin(length)) return Refuse(Outcome::kMalformed);
  PagedSource source(&pages, length);
  if (Read(source) && CopyStrings(source)) return Outcome::kWellFormed;
  return Refuse(source.unreadable() ? Outcome::kUnreadable : Outcome::kMalformed);
}

/// Clears the previous record. Returns false if one of `length` bytes is too long for a message.
bool Extractor::Body::Begin(uint64_t length) {
  found_.BeginRecord();
  names_.BeginRecord();
  malformed_ = {};
  const bool is_message = kind_ != PayloadKind::kOpaque || has_paths();
  if (is_message && length > kMaxMessageBytes) malformed_ = {.fault = WireFault::kLongLength, .offset = 0};
  return malformed_.fault == WireFault::kNone;
}

template <typename Source>
bool Extractor::Body::Read(Source& source) {
  if (has_paths()) return ReadPaths(source);
  return kind_ == PayloadKind::kOpaque || ReadEntries(source);
}

/// Reads a record and, if it is sound and has new names, reads it again to learn them: a record that is malformed or
/// cannot be read must not displace names.
template <typename Source>
bool Extractor::Body::ReadEntries(Source& source) {
  for (const bool learning : {false, true}) {
    if (learning) run_.ExpectNothing();  // numbers may be reassigned
    EntryExtractor<Source> entries(source, kind_, names_, found_, cached_headers_, learning);
    if (!entries.Extract(source.Read(&malformed_))) return false;
    const auto repeated = entries.repeated();
    if (std::is_same_v<Source, MemorySource> && !repeated.empty() && repeated.size() <= UniformRun::kMaxEntries) {
      run_.Expect(repeated, names_.names(), kind_);
    }
    if (learning || !entries.has_unknown()) break;
    found_.BeginRecord();
  }
  return true;
}

template <typename Source>
bool Extractor::Body::ReadPaths(Source& source) {
  bool sound = false;
  if constexpr (std::is_same_v<Source, MemorySource>) {
    sound = memory_paths_.Extract(source, source.Read(&malformed_));
  } else {
    sound = paged_paths_.Extract(source, source.Read(&malformed_));
  }
  for (PathLeaf& leaf : leaves_) {
    if (sound) leaf.MoveTo(found_);
    if (!leaf.empty()) leaf.Clear();
  }
  return sound;
}

void Extractor::Body::ViewStrings(ByteView payload) {
  if (has_paths()) {  // entries are already done
    for (ExtractedFeature& feature : found_.features()) feature.bytes = MemorySource(payload).View(feature);
  }
  for (const PayloadRange& range : found_.ranges) {
    const uint8_t* text = range.size > kMaxKeptBytes ? nullptr : payload.data() + range.offset;
    found_.strings.emplace_back(text, range.size);
  }
}

/// Returns the total size of all bytes values that are kept.
uint64_t Extractor::Body::StringBytes() const {
  uint64_t bytes = 0;
  for (const ExtractedFeature& feature : found_.features()) {
    if (feature.size <= kMaxKeptBytes) bytes += feature.size;
  }
  for (const PayloadRange& range : found_.ranges) {
    if (range.size <= kMaxKeptBytes) bytes += range.size;
  }
  return bytes;
}

bool Extractor::Body::CopyStrings(PagedSource& source) {
  copied_.resize(StringBytes());
  uint8_t* to = copied_.data();
  const auto copy = [&](PayloadRange range, ByteView& text) {
    if (range.size > kMaxKeptBytes) return true;
    const uint8_t* bytes = source.At({range.offset, range.size});
    if (bytes == nullptr && range.size != 0) return false;
    if (range.size != 0) std::memcpy(to, bytes, range.size);
    text = {to, static_cast<size_t>(range.size)};
    to += range.size;
    return true;
  };
  for (ExtractedFeature& feature : found_.features()) {
    if (feature.kind != FeatureKind::kBytes || feature.count != 1) continue;
    if (!copy({feature.bits, feature.size}, feature.bytes)) return false;
  }
  for (const PayloadRange& range : found_.ranges) {
    ByteView& text = found_.strings.emplace_back(static_cast<const uint8_t*>(nullptr), range.size);
    if (!copy(range, text)) return false;
  }
  return true;
}

Extractor::Outcome Extractor::Body::Refuse(Outcome outcome) {
  found_.BeginRecord();
  return outcome;
}

Extractor::Extractor(const FieldPlan& plan, std::span<const std::string> whole)
    : body_(std::make_unique<Body>(plan, whole)) {}
Extractor::~Extractor() = default;
Extractor::Extractor(Extractor&&) noexcept = default;
Extractor& Extractor::operator=(Extractor&&) noexcept = default;

Extractor::Outcome Extractor::Extract(ByteView payload) { return body_->Extract(payload); }
Extractor::Outcome Extractor::Extract(PayloadPages& pages, uint64_t length) { return body_->Extract(pages, length); }
UniformRun& Extractor::run() { return body_->run(); }
std::span<const ExtractedFeature> Extractor::found() const { return body_->found().features(); }
const Malformed& Extractor::malformed() const { return body_->malformed(); }
std::span<const uint64_t> Extractor::numbers() const { return body_->found().numbers; }
std::span<const ByteView> Extractor::strings() const { return body_->found().strings; }
std::span<const PayloadRange> Extractor::ranges() const { return body_->found().ranges; }

std::span<const std::string> Extractor::names() const {
  return body_->has_paths() ? std::span(body_->path_names()) : body_->names().names();
}

bool Extractor::kept(uint32_t feature) const {
  return body_->has_paths() ? feature < body_->path_names().size() : body_->names().kept(feature);
}

std::span<const uint32_t> Extractor::evicted() const { return body_->names().evicted(); }
bool Extractor::dropped() const { return body_->names().dropped(); }
const std::optional<std::string>& Extractor::first_evicted() const { return body_->names().bound(); }
void Extractor::Forget() { body_->Forget(); }

}  // namespace ofindex
