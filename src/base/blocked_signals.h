// For a program that Partita is only a part of: signals go to the program's threads.
#pragma once

#include <pthread.h>

#include <csignal>

namespace partita {

// While it exists, threads that the calling thread starts have all signals blocked that a process gets from outside.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&blocked, own);
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

// From now on Thread::start() does so for each thread. Callable from any thread.
void block_signals_in_threads();

}  // namespace partita
