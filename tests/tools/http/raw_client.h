#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ofindex::test {

/// A socket to 127.0.0.1 that sends exactly what it is told to. Closed with this object. A call that takes longer than
/// ten seconds fails the test.
class RawClient {
 public:
  explicit RawClient(uint16_t port, int receive_bytes = 0);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  /// Sends all of `bytes`, unless the server has closed the connection.
  void Send(std::string_view bytes);

  /// Sends no more; may still receive.
  void EndSending();

  /// Waits until there is something to receive, or the end of the connection.
  void AwaitAnswer();

  /// Returns the next response, which has a Content-Length; what there is of it if the connection ends.
  [[nodiscard]] std::string Receive();

  /// Returns true once the server has closed the connection, after whatever it still sends.
  [[nodiscard]] bool IsClosed();

 private:
  [[nodiscard]] bool Fill();

  int socket_;
  std::string received_;
};

}  // namespace ofindex::test
