#include "tests/tools/http/raw_client.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace ofindex::test {

RawClient::RawClient(uint16_t port, int receive_bytes) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  REQUIRE(socket_ >= 0);
  const timeval limit{.tv_sec = 10, .tv_usec = 0};
  REQUIRE(::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
  REQUIRE(::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) == 0);
  if (receive_bytes > 0) {
    REQUIRE(::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes)) == 0);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
}

RawClient::~RawClient() { ::close(socket_); }

void RawClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) return;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

void RawClient::EndSending() { ::shutdown(socket_, SHUT_WR); }

void RawClient::AwaitAnswer() {
  char first = 0;
  if (::recv(socket_, &first, 1, MSG_PEEK) < 0) REQUIRE(errno == ECONNRESET);
}

std::string RawClient::Receive() {
  size_t end = std::string::npos;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!Fill()) return std::exchange(received_, {});
  }
  const std::string_view name = "Content-Length: ";
  const size_t length = received_.find(name);
  const size_t whole =
      end + 4 + (length < end ? std::strtoull(received_.c_str() + length + name.size(), nullptr, 10) : 0);
  while (received_.size() < whole) {
    if (!Fill()) return std::exchange(received_, {});
  }
  std::string response = received_.substr(0, whole);
  received_.erase(0, whole);
  return response;
}

bool RawClient::IsClosed() {
  while (Fill()) received_.clear();
  return true;
}

// Returns false at the end of the connection.
bool RawClient::Fill() {
  std::array<char, 1 << 16> bytes;
  const ssize_t received = ::recv(socket_, bytes.data(), bytes.size(), 0);
  if (received < 0) REQUIRE(errno == ECONNRESET);
  if (received <= 0) return false;
  received_.append(bytes.data(), static_cast<size_t>(received));
  return true;
}

}  // namespace ofindex::test
