#include "tools/http/connection.h"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>

#include "base/allocation.h"
#include "base/text.h"

namespace ofindex {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using boost::system::error_code;

constexpr size_t kWriteBytesPerSecond = 256 << 10;
constexpr size_t kMaxDrainedBytes = 1 << 20;

Head HeadOf(const beast::http::request<beast::http::string_body>& message) {
  Head head{.method = std::string(message.method_string()), .target = std::string(message.target())};
  for (const auto& field : message) {
    head.fields.emplace_back(Folded(std::string_view(field.name_string().data(), field.name_string().size())),
                             std::string(field.value()));
  }
  return head;
}

Response Busy(std::string_view message) {
  Response response = Refusal(503, message, "ask again in a second");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

Response Answer(const Handler& handler, const Request& request) {
  auto response = WithMemory("a response", [&]() -> Result<Response> { return handler(request); });
  if (response) return std::move(*response);
  return Refusal(response.error().code == ErrorCode::kLimit ? 503 : 500, "the request cannot be answered",
                 "ask for less at a time");
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, Shared& shared)
    : socket_(std::move(socket)),
      deadline_(shared.io),
      shared_(shared),
      buffer_bytes_(shared.limits.head_bytes + sizeof(incoming_)) {}

void Connection::Start() {
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  SetDeadline(shared_.limits.request_time);
  Read();
}

void Connection::Close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  if (gone_) gone_->store(true);
  error_code ignored;
  socket_.close(ignored);
  deadline_.cancel();
  reply_ = {};
  share_ = {};
  shared_.connections.erase(shared_from_this());
}

// Keeps one read going while there is room, so that the end of a connection is seen while a handler works.
void Connection::Read() {
  if (is_reading_ || has_ended_ || state_ == State::kClosed || buffer_.size() >= buffer_bytes_) return;
  is_reading_ = true;
  const size_t room = std::min(incoming_.size(), buffer_bytes_ - buffer_.size());
  socket_.async_read_some(
      asio::buffer(incoming_.data(), room),
      [self = shared_from_this()](error_code failed, size_t bytes) { self->OnRead(failed, bytes); });
}

void Connection::OnRead(error_code failed, size_t bytes) {
  is_reading_ = false;
  if (state_ == State::kClosed) return;
  if (failed) {
    has_ended_ = true;
    if (gone_) gone_->store(true);
    // A client that has only ended its side may still read.
    if (failed != asio::error::eof || (state_ != State::kAnswering && state_ != State::kRefusing)) Close();
    return;
  }
  if (state_ == State::kDraining) {
    drained_ += bytes;
    if (drained_ > kMaxDrainedBytes) return Close();
    return Read();
  }
  buffer_.append(incoming_.data(), bytes);
  // Beyond a full buffer, the end of a connection could not be seen. No client has reason to send so much ahead.
  if (state_ == State::kAnswering && buffer_.size() >= buffer_bytes_) return Close();
  if (state_ == State::kWaiting || state_ == State::kReading) Advance();
  Read();
}

// Goes on with the request in the buffer, as far as it has come.
void Connection::Advance() {
  if (state_ == State::kWaiting) {
    if (buffer_.empty()) {
      if (has_ended_) Close();
      return;
    }
    Begin();
  }
  while (state_ == State::kReading && Parse()) {
  }
  if (state_ == State::kReading && has_ended_) Close();
}

void Connection::Begin() {
  state_ = State::kReading;
  parser_.emplace();
  parser_->header_limit(shared_.limits.head_bytes);
  parser_->body_limit(shared_.limits.body_bytes);
  SetDeadline(shared_.limits.request_time);
}

// Parses the head, or what there is of the body. Returns false if more must come first.
bool Connection::Parse() {
  error_code fault;
  const size_t parsed = buffer_.empty() ? 0 : parser_->put(asio::buffer(buffer_), fault);
  buffer_.erase(0, parsed);
  if (fault && fault != beast::http::error::need_more) {
    OnMalformed(fault);
    return false;
  }
  if (parser_->is_header_done() && !admission_) Admit();
  if (state_ != State::kReading) return false;
  if (parser_->is_done()) {
    Dispatch();
    return false;
  }
  return parsed > 0;
}

void Connection::OnMalformed(error_code fault) {
  namespace http = beast::http;
  if (fault == http::error::header_limit) {
    return Refuse(Refusal(431, "the head of the request is too long", "ask for less at a time"));
  }
  if (fault == http::error::body_limit) {
    return Refuse(Refusal(413, "the body is too long", "send less at a time"));
  }
  if (fault == http::error::bad_version) {
    return Refuse(Refusal(505, "the version of HTTP is not supported", "use HTTP/1.1"));
  }
  Refuse(Refusal(400, "the request is malformed", "send a request of HTTP/1.1"));
}

void Connection::Admit() {
  auto examined = shared_.gate->Examine(HeadOf(parser_->get()));
  if (auto* const refusal = std::get_if<Response>(&examined)) return Refuse(std::move(*refusal));
  admission_ = std::move(std::get<Admission>(examined));
}

void Connection::Dispatch() {
  state_ = State::kAnswering;
  keep_alive_ = parser_->keep_alive();
  SetDeadline(shared_.limits.answer_time);
  gone_ = std::make_shared<std::atomic<bool>>(has_ended_);
  admission_->request.gone = gone_;
  admission_->request.body = std::move(parser_->get().body());
  parser_.reset();
  const bool is_queued = shared_.workers.Queue([self = shared_from_this()]() mutable { Work(std::move(self)); });
  if (!is_queued) Write(Busy("too many requests wait"));
}

// Returns the answer of the handler, with a share of `bodies` for it; a refusal, with none, if there is no room.
Response Connection::AnswerWithin(ByteBudget& bodies, ByteBudget::Share& share) const {
  if (*gone_) return Refusal(503, "the client has gone", "ask again, and wait");
  if (bodies.is_spent()) return Busy("too many responses are being read");
  Response response = Answer(*admission_->handler, admission_->request);
  std::optional<ByteBudget::Share> taken = bodies.Take(response.body.size());
  if (!taken) return Busy("too many responses are being read");
  share = std::move(*taken);
  return response;
}

// Runs the handler, on the thread of a worker, and hands the response over. If memory runs out meanwhile, nothing is
// handed over, and the deadline ends the connection.
void Connection::Work(std::shared_ptr<Connection> self) {
  asio::io_context& io = self->shared_.io;
  static_cast<void>(WithMemory("a response", [&]() -> Result<void> {
    ByteBudget::Share share;
    Response response = self->AnswerWithin(self->shared_.bodies, share);
    asio::post(io, [self = std::move(self), response = std::move(response), share = std::move(share)]() mutable {
      if (self->state_ != State::kClosed) self->Write(std::move(response), std::move(share));
    });
    return {};
  }));
}

void Connection::Refuse(Response response) {
  state_ = State::kRefusing;
  keep_alive_ = false;
  admission_.emplace();
  admission_->head_only = parser_->is_header_done() && parser_->get().method() == beast::http::verb::head;
  Write(std::move(response));
}

void Connection::Write(Response response, ByteBudget::Share share) {
  share_ = std::move(share);
  reply_ = MakeReply(admission_->request, std::move(response),
                     {.head_only = admission_->head_only,
                      .keep_alive = keep_alive_,
                      .frame_ancestors = shared_.gate->FrameAncestors(admission_->framed)});
  SetDeadline(shared_.limits.write_time + std::chrono::seconds(reply_.size / kWriteBytesPerSecond));
  const std::array<asio::const_buffer, 2> buffers = {asio::buffer(reply_.head),
                                                     asio::buffer(reply_.body.data() + reply_.begin, reply_.size)};
  asio::async_write(socket_, buffers,
                    [self = shared_from_this()](error_code failed, size_t) { self->OnWritten(failed); });
}

void Connection::OnWritten(error_code failed) {
  if (state_ == State::kClosed) return;
  if (failed) return Close();
  reply_ = {};
  share_ = {};
  admission_.reset();
  parser_.reset();
  gone_.reset();
  idle_since_ = Clock::now();
  if (!keep_alive_) return Drain();
  state_ = State::kWaiting;
  SetDeadline(shared_.limits.idle_time);
  Advance();
  Read();
}

// Closes our side alone at first. If the socket were closed while unread bytes wait, the system would reset the
// connection, and the client might not get the response.
void Connection::Drain() {
  if (has_ended_) return Close();
  state_ = State::kDraining;
  error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  buffer_.clear();
  SetDeadline(shared_.limits.drain_time);
  Read();
}

void Connection::SetDeadline(Clock::duration time) {
  deadline_.expires_after(time);
  deadline_.async_wait([self = shared_from_this()](error_code) {
    // A wait that was cancelled, or replaced by a later one, has not expired.
    if (self->deadline_.expiry() <= Clock::now() && self->state_ != State::kClosed) self->Close();
  });
}

}  // namespace ofindex
