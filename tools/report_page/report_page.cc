#include "tools/report_page/report_page.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/text.h"
#include "query/sampling/open_sampler.h"
#include "tools/report_page/dataset_sections.h"
#include "tools/report_page/extremes.h"
#include "tools/report_page/page_style.h"
#include "tools/report_page/pictures.h"
#include "tools/report_page/record_card.h"

namespace ofindex {
namespace {

// Nothing is loaded and nothing runs, whatever the page holds: pictures are part of it, and so is the style.
constexpr std::string_view kPolicy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

// Writes one page. Used once.
class PageWriter {
 public:
  PageWriter(const Dataset& dataset, const PageFacts& facts, const PageRequest& request, Progress& progress, Html& html)
      : dataset_(dataset),
        facts_(facts),
        request_(request),
        progress_(progress),
        html_(html),
        cards_(dataset, request.shapes, pictures_) {}

  Result<PageSummary> Write() {
    OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, dataset_.snapshot()->Columns());
    const std::string title = request_.title.empty() ? facts_.name : request_.title;
    Begin(title);
    WriteHeader(facts_, title, html_);
    html_.Open("main");
    OFINDEX_TRY(RandomRecords(store));
    OFINDEX_ASSIGN(summary_.columns, WriteColumnCards(*store, request_.detail, progress_, extremes_, html_));
    OFINDEX_TRY(Extremes());
    WriteSchema(facts_, html_);
    WriteShards(facts_, html_);
    WriteEqualRecords(facts_, html_);
    WriteCommands(Commands(), html_);
    html_.Close();
    End();
    OFINDEX_TRY(html_.Finish());
    return summary_;
  }

 private:
  void Begin(const std::string& title) {
    html_.Doctype();
    html_.Open("html", {{"lang", "en"}}).Open("head").Void("meta", {{"charset", "utf-8"}});
    html_.Void("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", kPolicy}});
    html_.Void("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
    html_.Void("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
    html_.Void("meta", {{"name", "referrer"}, {"content", "no-referrer"}});
    html_.Void("meta", {{"name", "generator"}, {"content", "ofindex " OFINDEX_VERSION}});
    html_.Element("title", title).Style(PageStyle()).Close().Open("body");
  }

  void End() {
    std::string pictures = StrCat(Counted(pictures_.drawn(), "picture"), ", ",
                                  FormatBytes(static_cast<double>(pictures_.bytes())), ", in this file");
    if (pictures_.left_out() > 0) {
      pictures +=
          StrCat("; ", FormatCount(pictures_.left_out()), " left out (at most 256 KiB each and 8 MiB together)");
    }
    html_.Element("footer",
                  StrCat("Made by ofindex ", OFINDEX_VERSION, ". ", pictures, ". It loads nothing and runs nothing."));
    summary_.pictures = pictures_.drawn();
    summary_.picture_bytes = pictures_.bytes();
    summary_.pictures_left_out = pictures_.left_out();
    summary_.unread = cards_.unread();
  }

  Result<void> RandomRecords(const std::shared_ptr<ColumnStore>& store) {
    OFINDEX_ASSIGN(const std::vector<uint64_t> ordinals, Drawn(store));
    html_.Open("section", {{"id", "records"}}).Element("h2", "Random records");
    const bool all = ordinals.size() == facts_.dataset.records;
    html_.Element("p", {{"class", "lead"}},
                  all ? StrCat("All ", Counted(ordinals.size(), "record"), ".")
                      : StrCat(Counted(ordinals.size(), "record"), " of ", FormatCount(facts_.dataset.records),
                               ", drawn with seed ", request_.seed, " and sorted."));
    html_.Open("div", {{"class", "records"}});
    for (const uint64_t ordinal : ordinals) OFINDEX_TRY(Card(ordinal, "record-", {}));
    html_.Close().Close();
    return {};
  }

  Result<std::vector<uint64_t>> Drawn(const std::shared_ptr<ColumnStore>& store) {
    OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, dataset_.snapshot()->Catalog());
    OFINDEX_ASSIGN(Sampler sampler, OpenSampler(store, catalog->generations(), {.seed = request_.seed}));
    std::vector<uint64_t> ordinals(std::min<uint64_t>(request_.records, facts_.dataset.records));
    ordinals.resize(sampler.Next(ordinals));
    std::sort(ordinals.begin(), ordinals.end());
    return ordinals;
  }

  Result<void> Extremes() {
    html_.Open("section", {{"id", "extremes"}}).Element("h2", "Extremes");
    html_.Element("p", {{"class", "lead"}},
                  extremes_.entries().empty() ? "No column has two different values."
                                              : "The first record with the least value of each column, and the first "
                                                "with the greatest.");
    html_.Open("div", {{"class", "records"}});
    for (const ExtremeRecords::Entry& entry : extremes_.entries()) {
      std::vector<std::string> labels = entry.labels;
      if (entry.more_labels > 0) labels.push_back(StrCat("and ", entry.more_labels, " more"));
      OFINDEX_TRY(Card(entry.ordinal, "extreme-", labels));
    }
    html_.Close();
    if (extremes_.dropped() > 0) {
      html_.Element("p", {{"class", "left-out"}},
                    StrCat("Another ", Counted(extremes_.dropped(), "end"), " of columns are left out."));
    }
    html_.Close();
    return {};
  }

  Result<void> Card(uint64_t ordinal, std::string_view prefix, const std::vector<std::string>& labels) {
    if (progress_.cancel) return Interrupted();
    OFINDEX_TRY(cards_.Write(ordinal, StrCat(prefix, ordinal), labels, html_));
    ++summary_.records;
    OFINDEX_TRY(html_.written());
    return {};
  }

  std::vector<ShownCommand> Commands() const {
    const std::string index = ShellWord(facts_.name);
    return {{StrCat("ofindex report ", index, " -o report.html", request_.options), "makes this page"},
            {StrCat("ofindex stats ", index, " --bins ", request_.detail.bins), "prints the figures of the columns"},
            {StrCat("ofindex sample ", index, " --seed ", request_.seed, " -n ", request_.records),
             "draws the random records"},
            {StrCat("ofindex get ", index, " 0"), "shows record 0 as a whole"},
            {StrCat("ofindex verify ", index), "reads every shard, and compares it with the index"}};
  }

  const Dataset& dataset_;
  const PageFacts& facts_;
  const PageRequest& request_;
  Progress& progress_;
  Html& html_;
  Pictures pictures_;
  RecordCards cards_;
  ExtremeRecords extremes_;
  PageSummary summary_;
};

}  // namespace

Result<PageSummary> WriteReportPage(const Dataset& dataset, const PageFacts& facts, const PageRequest& request,
                                    Progress& progress, Html& html) {
  progress.bytes_total = facts.index_bytes;
  return PageWriter(dataset, facts, request, progress, html).Write();
}

}  // namespace ofindex
