#include "mmap/files/fault_guard.h"

#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <climits>
#include <thread>

namespace ofindex {
namespace {

// Where a fault of this thread jumps to: a sigjmp_buf on its stack, or null outside guarded sections. Not thread_local:
// a handler that is the first to touch such a variable allocates it, and the TLS model that avoids this uses static TLS
// space, which is scarce, so that the library could not be loaded late (DF_STATIC_TLS). Reading a key needs neither.
pthread_key_t section = PTHREAD_KEYS_MAX;  // not a valid key: faults are then not caught

struct sigaction previous_action;
std::atomic<bool> installed{false};
std::atomic<bool> installing{false};

void PassOn(int signal, siginfo_t* info, void* context) {
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal, info, context);
  } else if (previous_action.sa_handler == SIG_DFL || previous_action.sa_handler == SIG_IGN) {
    // A fault cannot be ignored: with the default action restored, the same instruction
    // faults again and ends the process.
    ::signal(signal, SIG_DFL);
  } else {
    previous_action.sa_handler(signal);
  }
}

void OnFault(int signal, siginfo_t* info, void* context) {
  auto* const jump = static_cast<sigjmp_buf*>(::pthread_getspecific(section));
  if (jump == nullptr) return PassOn(signal, info, context);
  FaultGuard::Leave();
  // The jump does not restore the signal mask from before the fault, and our caller may have blocked more than we asked
  // for, as the thread sanitizer does: a second fault would then end the process.
  ::pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t*>(context)->uc_sigmask, nullptr);
  siglongjmp(*jump, 1);
}

}  // namespace

void FaultGuard::Install() {
  if (installed.load(std::memory_order_acquire)) return;
  static const int made = ::pthread_key_create(&section, nullptr);
  static_cast<void>(made);
  // A child installs again: torch's loader workers install their own SIGBUS handler after the fork.
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] {
    installed.store(false, std::memory_order_release);
    installing.store(false, std::memory_order_release);
  });
  static_cast<void>(registered);
  // One thread installs the handler, and others that get here meanwhile wait for it. No lock: a child would inherit it.
  if (installing.exchange(true, std::memory_order_acq_rel)) {
    while (!installed.load(std::memory_order_acquire)) std::this_thread::yield();
    return;
  }
  struct sigaction action {};
  action.sa_sigaction = OnFault;
  // No SA_RESETHAND: the handler stays for the next fault.
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  struct sigaction found {};
  ::sigaction(SIGBUS, &action, &found);
  if (found.sa_sigaction != OnFault) previous_action = found;
  installed.store(true, std::memory_order_release);
}

void FaultGuard::Enter(sigjmp_buf& jump) { ::pthread_setspecific(section, &jump); }

void FaultGuard::Leave() { ::pthread_setspecific(section, nullptr); }

}  // namespace ofindex
