// A reserve against the moment when memory runs out: libraries that we use are not made for a failed allocation in the
// middle of their work. The reserve is given up by the allocation that would fail first; what is under way lives on it,
// and nothing new is begun until there is memory for a reserve again.
#pragma once

namespace partita {

// From now on. Address space only: the pages are never touched.
void hold_memory_reserve();

// Whether there is a reserve, or none was ever asked for; takes one again where it can. Cheap while there is one.
// Callable from any thread.
bool memory_reserve_held();

}  // namespace partita
