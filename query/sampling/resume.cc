#include "query/sampling/resume.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "query/sampling/sets/view.h"

namespace ofindex {
namespace {

bool IsDrawn(std::string_view order) { return order.starts_with("weights ") || order.starts_with("balance "); }

// Returns true if two orders are of the same kind. The fingerprint of a table may differ, because it is that of the
// drawn records.
bool AreAlike(std::string_view a, std::string_view b) {
  return IsDrawn(a) && IsDrawn(b) ? a.substr(0, a.find(' ')) == b.substr(0, b.find(' ')) : a == b;
}

// Resumes a state whose generation is not the newest one.
class Resumption {
 public:
  Resumption(const SamplerState& state, const ResumeRequest& request, const GenerationRow& generation)
      : state_(state),
        request_(request),
        generation_(generation),
        begun_(request.history.RecordsAt(generation)),
        left_(begun_.Intersect(request.there)) {}

  [[nodiscard]] Result<Sampler> Open() const {
    Result<Sampler> begun = request_.open(generation_, left_);
    const Result<void> same = !begun           ? tl::unexpected(begun.error())
                              : request_.force ? Result<void>()
                                               : CheckSameSample(state_, begun->State());
    if (!same && !MayBeGone(begun)) return tl::unexpected(same.error());
    OFINDEX_ASSIGN(Sampler newest, request_.open(request_.newest, request_.there));
    if (!same && state_.position != 0) return Gone();
    const StateChanges changes = ChangesFor(newest, same.has_value());
    Sampler& resumed = state_.position == 0 ? newest : *begun;
    if (changes.new_records != 0 || changes.gone_records != 0) resumed.SetChanges(changes);
    if (state_.position == 0) return newest;
    begun->FollowWith(std::make_shared<const Sampler>(std::move(newest)));
    return begun;
  }

 private:
  // Returns true if records that are gone can be the reason why the epoch is not that of the state.
  [[nodiscard]] bool MayBeGone(const Result<Sampler>& begun) const {
    if (left_.size() == begun_.size()) return false;
    if (begun && !AreAlike(state_.order, begun->State().order)) return false;
    return !request_.samples_all || state_.selection == View::Of(begun_).Fingerprint();
  }

  [[nodiscard]] StateChanges ChangesFor(const Sampler& newest, bool goes_on) const {
    const View& view = newest.view();
    return {.new_records = view.size() - view.Where(begun_).size(),
            .gone_records = goes_on && !request_.force ? 0 : begun_.size() - left_.size(),
            .from = state_.generation,
            .to = request_.newest.number,
            .begun_anew = state_.position == 0};
  }

  [[nodiscard]] tl::unexpected<Error> Gone() const {
    const std::string gone = FormatCount(begun_.size() - left_.size());
    const std::string counts =
        request_.samples_all ? StrCat(gone, " of the ", FormatCount(begun_.size()), " records of its epoch are gone")
                             : StrCat("records of its selection are gone, with ", gone, " of the dataset's ",
                                      FormatCount(begun_.size()), " records");
    return Fail(ErrorCode::kStale,
                StrCat("the sampler's state: ", counts, ": ", request_.history.GoneSince(generation_)),
                StrCat("begin epoch ", state_.epoch + 1,
                       " without the state, or restore what is missing and run `ofindex update`"));
  }

  const SamplerState& state_;
  const ResumeRequest& request_;
  const GenerationRow& generation_;
  OrdinalSet begun_;  // the records with which the epoch began
  OrdinalSet left_;   // those of them that are there
};

}  // namespace

Result<Sampler> Resume(const SamplerState& state, const ResumeRequest& request) {
  const Result<GenerationRow> generation = GenerationOf(state, request.generations);
  if (!generation && !request.force) return tl::unexpected(generation.error());
  const GenerationRow& newest = request.newest;
  const bool is_newest =
      !generation || (generation->records == newest.records && generation->fingerprint == newest.fingerprint);
  if (!is_newest) return Resumption(state, request, *generation).Open();
  OFINDEX_ASSIGN(Sampler sampler, request.open(newest, request.there));
  if (!request.force) OFINDEX_TRY(CheckSameSample(state, sampler.State()));
  return sampler;
}

}  // namespace ofindex
