#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/http/browser.h"
#include "tools/http/server.h"
#include "tools/options/attachments.h"
#include "tools/options/reading_options.h"
#include "tools/page/assets.h"
#include "tools/serve/explorer.h"
#include "tools/shell/exit_deadline.h"
#include "tools/shell/json.h"
#include "tools/shell/messages.h"
#include "tools/shell/output.h"
#include "tools/shell/watchdog.h"
#include "tools/verbs/verbs.h"

namespace ofindex {
namespace {

constexpr uint64_t kMaxPort = 65'535;
constexpr std::chrono::milliseconds kUntilExit{1000};

struct ServeArguments {
  std::vector<std::string> indexes;
  ReaderOptions reading;
  ServerOptions server;
  unsigned port = 0;
  bool open = false;
  bool until_eof = false;
};

// The files of the page have no data in them, so that only "/" needs the token.
std::vector<Route> WithPage(std::vector<Route> routes) {
  for (const PageAsset& asset : PageAssets()) {
    routes.push_back({.path = std::string(asset.path),
                      .handler =
                          [asset](const Request&) {
                            return Response{.type = std::string(asset.type), .body = std::string(asset.bytes)};
                          },
                      .needs_token = asset.path == "/"});
  }
  return routes;
}

// Reads what there is of standard input, and drops it. Returns true at its end.
bool HasInputEnded() {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (::poll(&input, 1, 0) <= 0) return false;
  std::array<char, 4096> dropped{};
  const ssize_t bytes = ::read(STDIN_FILENO, dropped.data(), dropped.size());
  return bytes == 0 || (bytes < 0 && errno != EINTR && errno != EAGAIN);
}

// Prints where the page is, at once: whoever started the server waits for this line.
Result<void> Announce(const Server& server, const std::vector<std::string>& names, const Context& context) {
  Output& out = Output::Standard();
  if (context.json) {
    Json indexes = Json::array();
    for (const std::string& name : names) indexes.push_back(JsonText(name));
    OFINDEX_TRY(out.Line(Dump({{"schema", "ofindex.serve/1"},
                               {"url", server.url()},
                               {"host", server.host()},
                               {"port", server.port()},
                               {"indexes", std::move(indexes)}})));
  } else {
    OFINDEX_TRY(out.Line(server.url()));
  }
  return out.Flush();
}

Result<void> CheckArguments(const ServeArguments& arguments, const Context& context) {
  if (arguments.indexes.size() == 1 || (context.attachments.empty() && arguments.reading.root.empty())) return {};
  return Fail(ErrorCode::kUsage, "--attach and --root are for the files of one dataset; expected a single INDEX",
              "start a server for each dataset");
}

// Threads share few arenas, and large blocks go back to the system at once: what many requests freed would add up.
void KeepFreedMemoryLow() {
#ifdef __GLIBC__
  ::mallopt(M_ARENA_MAX, 2);
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

Result<int> RunServer(const ServeArguments& arguments, const Context& context) {
  OFINDEX_TRY(CheckArguments(arguments, context));
  KeepFreedMemoryLow();
  std::optional<Watchdog> watchdog(std::in_place, std::nullopt, context);
  ServeOptions serving{.attachments = context.attachments};
  serving.reading.root = arguments.reading.root;
  OFINDEX_ASSIGN(std::unique_ptr<Explorer> explorer, Explorer::Open(arguments.indexes, serving, context.progress));
  ServerOptions options = arguments.server;
  options.port = static_cast<uint16_t>(arguments.port);
  OFINDEX_ASSIGN(std::unique_ptr<Server> server, Server::Listen(options, WithPage(explorer->Routes())));
  OFINDEX_TRY(Announce(*server, arguments.indexes, context));
  std::optional<LeadingPage> page;
  if (arguments.open) {
    OFINDEX_ASSIGN(LeadingPage written, LeadingPage::Write(server->url()));
    page.emplace(std::move(written));
    if (auto opened = page->Open(); !opened) PrintNote(opened.error().message, context);
  }
  if (!server->is_local()) PrintNote("everyone who reaches this port and knows the URL can read all the data", context);
  watchdog.reset();  // from now on, being told to stop is how the server ends
  server->Run([&] { return context.progress.cancel || (arguments.until_eof && HasInputEnded()); });
  page.reset();
  // All clients have been told. Answers that are being made end when they next look, most of them at once.
  const ExitDeadline deadline(kUntilExit);
  server.reset();
  explorer.reset();
  return 0;
}

}  // namespace

void AddServe(CommandLine& line, Context& context) {
  Verb verb = AddVerb(line, context, "serve", "Show the records and columns in a browser", Formats::kJson);
  auto arguments = std::make_shared<ServeArguments>();
  verb.AddArgument("INDEX", arguments->indexes, "The index, or the DATA that it is named after").Required();
  verb.AddOption("--host", arguments->server.host, "HOST",
                 "Listen at this address of the machine instead of 127.0.0.1, which only the machine itself reaches. "
                 "Everyone who reaches the port and knows the URL can then read all the data; the connection is not "
                 "encrypted")
      .NotEmpty();
  verb.AddOption("--port", arguments->port, "PORT", "Listen at this port; default 0: one that is free")
      .Between(0, kMaxPort);
  verb.AddFlag("--open", arguments->open, "Open the page in the system's browser");
  verb.AddOption("--frame", arguments->server.frames, "ORIGIN",
                 "Let pages of this origin, such as http://localhost:8888, show the page in a frame, if they know the "
                 "URL; * is any origin");
  verb.AddFlag("--until-eof", arguments->until_eof,
               "End with standard input: for programs that start a server, so that it ends with them");
  AddRoot(verb, arguments->reading);
  AddAttachments(verb, context);
  verb.Runs([arguments, &context] { return RunServer(*arguments, context); });
}

}  // namespace ofindex
