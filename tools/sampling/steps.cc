#include "tools/sampling/steps.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "query/sampling/steps/run_steps.h"
#include "tools/sampling/ordinal_text.h"
#include "tools/shell/json.h"
#include "tools/shell/messages.h"

namespace ofindex {
namespace {

RunSteps StepsOf(const StepRequest& request, const Slice& slice, Tail tail, const Sampler& sampler) {
  const StepShape shape{.world = slice.world, .tail = tail, .batch = request.batch};
  return {sampler.epoch_size(), sampler.skipped(), shape};
}

/// Takes a number from the front of `text`.
bool TakeStep(std::string_view& text, uint64_t& step) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

/// Takes `A:B` from the front of `text`.
bool TakeStepRange(std::string_view& text, StepRange& range) {
  if (!TakeStep(text, range.first) || text.empty() || text.front() != ':') return false;
  text.remove_prefix(1);
  return TakeStep(text, range.last) && range.first <= range.last;
}

Result<void> PrintStep(const StepRequest& request, const RunSteps& steps, const Slice& slice, const Sampler& begin,
                       const Context& context, Output& out) {
  OFINDEX_ASSIGN(const std::optional<RunSteps::Place> place, steps.Find(*request.step));
  if (!place) {
    return Fail(ErrorCode::kOutOfRange, StrCat("step ", *request.step, ": it is one of those that are skipped"),
                "leave out --skip to see what it would read");
  }
  OFINDEX_ASSIGN(const RunPosition position, steps.BeginOf(*request.step));
  Sampler sampler = begin;
  sampler.SeekTo(place->begin.epoch, place->begin.position);
  const uint64_t first = place->batch * request.batch;
  const uint64_t of_rank = sampler.ranks().StepsOf(slice.rank);
  std::vector<uint64_t> ordinals(first < of_rank ? std::min(request.batch, of_rank - first) : 0);
  sampler.IndicesOf(slice.rank, first, 1, ordinals);
  sampler.view().Map(ordinals);
  if (context.json) {
    const Json document = {{"schema", "ofindex.sample/1"}, {"step", *request.step},         {"epoch", position.epoch},
                           {"batch", place->batch},        {"position", position.position}, {"ids", ordinals}};
    OFINDEX_TRY(out.Line(Dump(document)));
    return out.Flush();
  }
  PrintNote(StrCat("step ", *request.step, " is batch ", place->batch, " of epoch ", position.epoch, ", from position ",
                   position.position),
            context);
  std::string text;
  for (const uint64_t ordinal : ordinals) {
    text += context.jsonl ? "{\"_id\":" : "";
    AppendOrdinal(ordinal, text);
    text += context.jsonl ? "}\n" : "\n";
  }
  OFINDEX_TRY(out.Write(text));
  return out.Flush();
}

Result<void> PrintPlaces(const StepRequest& request, const RunSteps& steps, const Sampler& sampler,
                         const Context& context, Output& out) {
  const uint64_t ordinal = *request.ordinal;
  const std::optional<uint64_t> index = sampler.view().IndexOf(ordinal);
  if (!index) {
    return Fail(ErrorCode::kOutOfRange, StrCat("record ", ordinal, ": expected one of the records that are sampled"),
                "`ofindex info` tells how many records there are");
  }
  OFINDEX_ASSIGN(const std::vector<Sampler::Place> places, sampler.PlacesOf(*index, &context.progress.cancel));
  const uint64_t before = steps.ReadBefore({sampler.epoch(), 0});
  Json list = Json::array();
  for (const Sampler::Place& place : places) {
    list.push_back({{"step", steps.numbers().NumberOf(before + place.step / request.batch)},
                    {"rank", place.rank},
                    {"index", place.step % request.batch},
                    {"epoch", sampler.epoch()},
                    {"position", place.position}});
  }
  if (context.json) {
    OFINDEX_TRY(out.Line(Dump(Json{{"schema", "ofindex.sample/1"}, {"ordinal", ordinal}, {"places", list}})));
    return out.Flush();
  }
  for (const Json& place : list) {
    if (context.jsonl) {
      OFINDEX_TRY(out.Line(Dump(place)));
      continue;
    }
    std::string line;
    for (const auto& [name, number] : place.items()) {
      line += StrCat(line.empty() ? "" : ", ", name, " ", number.get<uint64_t>());
    }
    OFINDEX_TRY(out.Line(line));
  }
  if (places.empty()) PrintNote(StrCat("no rank reads record ", ordinal, " in epoch ", sampler.epoch()), context);
  return out.Flush();
}

}  // namespace

Result<void> SkipSteps(const StepRequest& request, const Slice& slice, Tail tail, Sampler& sampler) {
  if (!request.skipped) return {};
  std::vector<StepRange> wanted;
  std::string_view text = *request.skipped;
  for (;;) {
    StepRange one;
    if (!TakeStepRange(text, one) || (!text.empty() && text.front() != ',')) {
      return Fail(ErrorCode::kUsage,
                  StrCat("--skip ", Printable(*request.skipped), ": expected A:B,..., ranges of steps"),
                  "write 4200:4260 for steps 4200 to 4259");
    }
    wanted.push_back(one);
    if (text.empty()) break;
    text.remove_prefix(1);
  }
  OFINDEX_ASSIGN(std::vector<SkippedSteps> skipped, StepsOf(request, slice, tail, sampler).Skip(std::move(wanted)));
  sampler.Skip(std::move(skipped));
  return {};
}

Result<void> PrintSteps(const StepRequest& request, const Slice& slice, Tail tail, const Sampler& sampler,
                        const Context& context, Output& out) {
  const RunSteps steps = StepsOf(request, slice, tail, sampler);
  return request.step ? PrintStep(request, steps, slice, sampler, context, out)
                      : PrintPlaces(request, steps, sampler, context, out);
}

}  // namespace ofindex
