#include "proto/skim/skimmer.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "proto/skim/path_tree.h"
#include "proto/skim/skimmer_entries.h"
#include "proto/skim/skimmer_found.h"
#include "proto/skim/skimmer_names.h"
#include "proto/skim/skimmer_paths.h"
#include "proto/skim/skimmer_source.h"

namespace ofindex {

class Skimmer::Body {
 public:
  Body(const FieldPlan& plan, std::span<const std::string> whole);

  [[nodiscard]] Outcome Skim(ByteView payload);
  [[nodiscard]] Outcome Skim(PayloadPages& pages, uint64_t length);

  [[nodiscard]] bool has_paths() const { return !path_names_.empty(); }
  [[nodiscard]] const FoundFeatures& found() const { return found_; }
  [[nodiscard]] const Malformed& malformed() const { return malformed_; }
  [[nodiscard]] const std::vector<std::string>& path_names() const { return path_names_; }
  [[nodiscard]] const SkimmerNames& names() const { return names_; }
  void Forget() {
    names_.Forget();
    imprints_.clear();
  }

 private:
  [[nodiscard]] bool Begin(uint64_t length);
  template <typename Source>
  [[nodiscard]] bool Read(Source& source);
  template <typename Source>
  [[nodiscard]] bool ReadEntries(Source& source);
  template <typename Source>
  [[nodiscard]] bool ReadPaths(Source& source);
  void ViewTexts(ByteView payload);
  [[nodiscard]] bool CopyTexts(PagedSource& source);
  [[nodiscard]] uint64_t TextBytes() const;
  [[nodiscard]] Outcome Refuse(Outcome outcome);

  PayloadKind kind_;
  std::vector<std::string> path_names_;
  PathTree tree_;
  std::vector<PathLeaf> leaves_;
  PathSkim<MemorySource> memory_paths_;
  PathSkim<PagedSource> paged_paths_;
  SkimmerNames names_;
  FoundFeatures found_;
  std::vector<EntryImprint> imprints_;
  Malformed malformed_;
  std::vector<uint8_t> copied_;  // bytes values fetched from pages
};

Skimmer::Body::Body(const FieldPlan& plan, std::span<const std::string> whole)
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

Skimmer::Outcome Skimmer::Body::Skim(ByteView payload) {
  if (!Begin(payload.size())) return Refuse(Outcome::kMalformed);
  MemorySource source(payload);
  if (!Read(source)) return Refuse(Outcome::kMalformed);
  ViewTexts(payload);
  return Outcome::kWellFormed;
}

Skimmer::Outcome Skimmer::Body::Skim(PayloadPages& pages, uint64_t length) {
  if (!Begin(length)) return Refuse(Outcome::kMalformed);
  PagedSource source(&pages, length);
  if (Read(source) && CopyTexts(source)) return Outcome::kWellFormed;
  return Refuse(source.unreadable() ? Outcome::kUnreadable : Outcome::kMalformed);
}

/// Clears the previous record. Returns false if one of `length` bytes is too long for a message.
bool Skimmer::Body::Begin(uint64_t length) {
  found_.BeginRecord();
  names_.BeginRecord();
  malformed_ = {};
  const bool is_message = kind_ != PayloadKind::kOpaque || has_paths();
  if (is_message && length > kMaxMessageBytes) malformed_ = {.fault = WireFault::kLongLength, .offset = 0};
  return malformed_.fault == WireFault::kNone;
}

template <typename Source>
bool Skimmer::Body::Read(Source& source) {
  if (has_paths()) return ReadPaths(source);
  return kind_ == PayloadKind::kOpaque || ReadEntries(source);
}

/// Reads a record once, and a second time to learn its new names if it is sound: a record that is malformed or cannot
/// be read must not displace names.
template <typename Source>
bool Skimmer::Body::ReadEntries(Source& source) {
  for (const bool learning : {false, true}) {
    EntrySkim<Source> skim(source, kind_, names_, found_, imprints_, learning);
    if (!skim.Skim(source.Read(&malformed_))) return false;
    if (learning || !skim.has_unknown()) break;
    found_.BeginRecord();
  }
  return true;
}

template <typename Source>
bool Skimmer::Body::ReadPaths(Source& source) {
  bool sound = false;
  if constexpr (std::is_same_v<Source, MemorySource>) {
    sound = memory_paths_.Skim(source, source.Read(&malformed_));
  } else {
    sound = paged_paths_.Skim(source, source.Read(&malformed_));
  }
  for (PathLeaf& leaf : leaves_) {
    if (sound) leaf.MoveTo(found_);
    if (!leaf.empty()) leaf.Clear();
  }
  return sound;
}

void Skimmer::Body::ViewTexts(ByteView payload) {
  if (has_paths()) {  // entries are already done
    for (SkimmedFeature& feature : found_.features()) feature.bytes = MemorySource(payload).View(feature);
  }
  for (const Stretch& stretch : found_.stretches) {
    const uint8_t* text = stretch.size > kMostKeptBytes ? nullptr : payload.data() + stretch.offset;
    found_.texts.emplace_back(text, stretch.size);
  }
}

/// Returns the total bytes of all values that are kept.
uint64_t Skimmer::Body::TextBytes() const {
  uint64_t bytes = 0;
  for (const SkimmedFeature& feature : found_.features()) {
    if (feature.size <= kMostKeptBytes) bytes += feature.size;
  }
  for (const Stretch& stretch : found_.stretches) {
    if (stretch.size <= kMostKeptBytes) bytes += stretch.size;
  }
  return bytes;
}

bool Skimmer::Body::CopyTexts(PagedSource& source) {
  copied_.resize(TextBytes());
  uint8_t* to = copied_.data();
  const auto copy = [&](Stretch stretch, ByteView& text) {
    if (stretch.size > kMostKeptBytes) return true;
    const uint8_t* bytes = source.At({stretch.offset, stretch.size});
    if (bytes == nullptr && stretch.size != 0) return false;
    if (stretch.size != 0) std::memcpy(to, bytes, stretch.size);
    text = {to, static_cast<size_t>(stretch.size)};
    to += stretch.size;
    return true;
  };
  for (SkimmedFeature& feature : found_.features()) {
    if (feature.kind != FeatureKind::kBytes || feature.count != 1) continue;
    if (!copy({feature.bits, feature.size}, feature.bytes)) return false;
  }
  for (const Stretch& stretch : found_.stretches) {
    ByteView& text = found_.texts.emplace_back(static_cast<const uint8_t*>(nullptr), stretch.size);
    if (!copy(stretch, text)) return false;
  }
  return true;
}

Skimmer::Outcome Skimmer::Body::Refuse(Outcome outcome) {
  found_.BeginRecord();
  return outcome;
}

Skimmer::Skimmer(const FieldPlan& plan, std::span<const std::string> whole)
    : body_(std::make_unique<Body>(plan, whole)) {}
Skimmer::~Skimmer() = default;
Skimmer::Skimmer(Skimmer&&) noexcept = default;
Skimmer& Skimmer::operator=(Skimmer&&) noexcept = default;

Skimmer::Outcome Skimmer::Skim(ByteView payload) { return body_->Skim(payload); }
Skimmer::Outcome Skimmer::Skim(PayloadPages& pages, uint64_t length) { return body_->Skim(pages, length); }
std::span<const SkimmedFeature> Skimmer::found() const { return body_->found().features(); }
const Malformed& Skimmer::malformed() const { return body_->malformed(); }
std::span<const uint64_t> Skimmer::numbers() const { return body_->found().numbers; }
std::span<const ByteView> Skimmer::texts() const { return body_->found().texts; }

std::span<const std::string> Skimmer::names() const {
  return body_->has_paths() ? std::span(body_->path_names()) : body_->names().names();
}

bool Skimmer::kept(uint32_t feature) const {
  return body_->has_paths() ? feature < body_->path_names().size() : body_->names().kept(feature);
}

std::span<const uint32_t> Skimmer::given_up() const { return body_->names().given_up(); }
bool Skimmer::dropped() const { return body_->names().dropped(); }
const std::optional<std::string>& Skimmer::first_given_up() const { return body_->names().bound(); }
void Skimmer::Forget() { body_->Forget(); }

}  // namespace ofindex
