#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

namespace ofindex {

/// A bound on the bytes that its shares hold together. Thread-safe; must outlive its
/// shares.
class ByteBudget {
 public:
  /// A part of the budget, which goes back when the share ends.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() {
      if (budget_ != nullptr) budget_->taken_ -= bytes_;
    }

   private:
    friend class ByteBudget;
    Share(ByteBudget& budget, size_t bytes) : budget_(&budget), bytes_(bytes) {}

    ByteBudget* budget_ = nullptr;
    size_t bytes_ = 0;
  };

  explicit ByteBudget(size_t bytes) : bytes_(bytes) {}

  /// Returns a share of `bytes`; nullopt if fewer are left.
  [[nodiscard]] std::optional<Share> Take(size_t bytes) {
    size_t taken = taken_;
    do {
      if (bytes > bytes_ - taken) return std::nullopt;
    } while (!taken_.compare_exchange_weak(taken, taken + bytes));
    return Share(*this, bytes);
  }

  /// Returns true if so little is left that most answers would not fit.
  [[nodiscard]] bool is_spent() const { return bytes_ - taken_ < bytes_ / 64; }

 private:
  const size_t bytes_;
  std::atomic<size_t> taken_{0};  // at most bytes_
};

}  // namespace ofindex
