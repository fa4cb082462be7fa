#include "mmap/files/fault_guard.h"

#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <climits>
#include <thread>

#include "mmap/files/kept_pages.h"

namespace ofindex {
namespace {

// The key of a thread's jump target: a sigjmp_buf on the stack of a thread that is in a guarded guarded_section,
// otherwise null. A thread_local variable could be allocated by the signal handler, if that is the first to access it.
// The TLS model that avoids this takes static TLS space, which is scarce, so loading the library at run time could fail
// (DF_STATIC_TLS). Reading a pthread key has neither problem.
pthread_key_t guarded_section = PTHREAD_KEYS_MAX;  // not a valid key: faults are then not caught

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
  auto* const jump = static_cast<sigjmp_buf*>(::pthread_getspecific(guarded_section));
  if (jump == nullptr) {
    const bool is_fault = info->si_code > 0;  // not sent by kill(), which leaves no address
    if (!is_fault || !KeptPages::Replace(info->si_addr)) PassOn(signal, info, context);
    return;
  }
  FaultGuard::Leave();
  // siglongjmp does not restore the signal mask that was in force before the fault. This handler may run with more
  // signals blocked than Install() asked for, as under the thread sanitizer; if SIGBUS stayed blocked, a second fault
  // would end the process.
  ::pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t*>(context)->uc_sigmask, nullptr);
  siglongjmp(*jump, 1);
}

}  // namespace

void FaultGuard::Install() {
  if (installed.load(std::memory_order_acquire)) return;
  static const int made = ::pthread_key_create(&guarded_section, nullptr);
  static_cast<void>(made);
  // A child process installs the handler again, because torch's loader workers install their own SIGBUS handler after
  // the fork.
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] {
    installed.store(false, std::memory_order_release);
    installing.store(false, std::memory_order_release);
  });
  static_cast<void>(registered);
  // One thread installs the handler; others that get here meanwhile wait. There is no lock, because a child would
  // inherit it.
  if (installing.exchange(true, std::memory_order_acq_rel)) {
    while (!installed.load(std::memory_order_acquire)) std::this_thread::yield();
    return;
  }
  struct sigaction action {};
  action.sa_sigaction = OnFault;
  // Without SA_RESETHAND, the handler stays installed for the next fault.
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  struct sigaction found {};
  ::sigaction(SIGBUS, &action, &found);
  if (found.sa_sigaction != OnFault) previous_action = found;
  installed.store(true, std::memory_order_release);
}

void FaultGuard::Enter(sigjmp_buf& jump) { ::pthread_setspecific(guarded_section, &jump); }

void FaultGuard::Leave() { ::pthread_setspecific(guarded_section, nullptr); }

}  // namespace ofindex
