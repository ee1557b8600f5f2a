// A memory reserve. The libraries that we use do not handle a failed allocation in the middle of their work. The first
// allocation that would fail releases the reserve instead. Work in progress then uses it, and nothing new is begun
// until the reserve can be taken again.
#pragma once

namespace partita {

// Takes the reserve. It is address space only: the pages are never touched.
void hold_memory_reserve();

// Whether the reserve is held, or was never requested. Takes it again if possible. Cheap while it is held. Callable
// from any thread.
bool memory_reserve_held();

}  // namespace partita
