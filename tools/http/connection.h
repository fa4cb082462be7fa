#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "tools/http/byte_budget.h"
#include "tools/http/gate.h"
#include "tools/http/limits.h"
#include "tools/http/reply.h"
#include "tools/http/workers.h"

namespace ofindex {

class Connection;

/// What the connections of a server share. `connections` belongs to the thread that runs `io`.
struct Shared {
  explicit Shared(const Limits& server_limits)
      : limits(server_limits), bodies(server_limits.bytes_in_flight), workers(server_limits.waiting) {}

  const Limits limits;
  ByteBudget bodies;  // of responses that are not written yet; what waits in `io` has shares
  boost::asio::io_context io{1};
  std::optional<Gate> gate = {};
  std::set<std::shared_ptr<Connection>> connections = {};
  Workers workers;  // the last: its threads end before the rest goes
};

/// A client's connection. It reads a request, has it answered, writes the response, and so on, one at a time. What a
/// client sends meanwhile waits in a buffer of bounded size. Lives in Shared::connections while it is open. All
/// functions but Work() and AnswerWithin() run on the thread of `io`.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Clock = std::chrono::steady_clock;

  Connection(boost::asio::ip::tcp::socket socket, Shared& shared);

  void Start();

  /// Closes the socket, and tells a handler at work that nobody waits for it.
  void Close();

  /// Returns true while no admitted request is being answered: closing it loses nothing.
  [[nodiscard]] bool IsIdle() const { return state_ != State::kAnswering && state_ != State::kClosed; }

  /// Returns since when it has answered nothing.
  [[nodiscard]] Clock::time_point idle_since() const { return idle_since_; }

 private:
  enum class State : uint8_t {
    kWaiting,    // for the first byte of a request
    kReading,    // a request has begun
    kAnswering,  // an admitted request is at a worker, or its response is being written
    kRefusing,   // a refusal is being written
    kDraining,   // the last response is written; reads what still comes, so that the client can read it
    kClosed,
  };
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  void Read();
  void OnRead(boost::system::error_code failed, size_t bytes);
  void Advance();
  void Begin();
  [[nodiscard]] bool Parse();
  void OnMalformed(boost::system::error_code fault);
  void Admit();
  void Dispatch();
  static void Work(std::shared_ptr<Connection> self);
  [[nodiscard]] Response AnswerWithin(ByteBudget& bodies, ByteBudget::Share& share) const;
  void Refuse(Response response);
  void Write(Response response, ByteBudget::Share share = {});
  void OnWritten(boost::system::error_code failed);
  void Drain();
  void SetDeadline(Clock::duration time);

  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer deadline_;
  Shared& shared_;
  const size_t buffer_bytes_;
  std::array<char, 16 << 10> incoming_;  // of the read that is going on
  std::string buffer_;                   // read and not yet parsed
  std::optional<Parser> parser_;
  std::optional<Admission> admission_;
  std::shared_ptr<std::atomic<bool>> gone_;
  Reply reply_;
  ByteBudget::Share share_;  // for the body of the reply
  State state_ = State::kWaiting;
  Clock::time_point idle_since_ = Clock::now();
  size_t drained_ = 0;
  bool is_reading_ = false;
  bool has_ended_ = false;  // the client sends no more
  bool keep_alive_ = false;
};

}  // namespace ofindex
