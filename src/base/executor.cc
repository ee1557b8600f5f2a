#include "base/executor.h"

namespace partita {

namespace {
thread_local Executor* current_executor = nullptr;
}  // namespace

Executor* Executor::current() noexcept { return current_executor; }
void Executor::set_current(Executor* executor) noexcept { current_executor = executor; }

}  // namespace partita
