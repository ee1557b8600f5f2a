// Clang's thread-safety attributes. With -Wthread-safety clang reports each access to a member without its lock; other
// compilers see nothing. `./dev check` and tests/tidy run that analysis.
//
//   class Queue {
//    public:
//     void add(int value) {
//       const MutexLock lock(mutex_);
//       add_locked(value);
//     }
//
//    private:
//     void add_locked(int value) PARTITA_REQUIRES(mutex_) { values_.push_back(value); }
//     Mutex mutex_;
//     std::vector<int> values_ PARTITA_GUARDED_BY(mutex_);
//   };
#pragma once

#if defined(__clang__)
#define PARTITA_THREAD_ATTRIBUTE(...) __attribute__((__VA_ARGS__))
#else
#define PARTITA_THREAD_ATTRIBUTE(...)
#endif

// A member that is read and written only with that mutex held. PT: what the pointer points to.
#define PARTITA_GUARDED_BY(mutex) PARTITA_THREAD_ATTRIBUTE(guarded_by(mutex))
// A function whose caller holds the mutex, or must not hold it.
#define PARTITA_REQUIRES(...) PARTITA_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define PARTITA_REQUIRES_SHARED(...) PARTITA_THREAD_ATTRIBUTE(requires_shared_capability(__VA_ARGS__))
// A function that takes or releases the mutex.
#define PARTITA_ACQUIRE(...) PARTITA_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define PARTITA_ACQUIRE_SHARED(...) PARTITA_THREAD_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define PARTITA_RELEASE_SHARED(...) PARTITA_THREAD_ATTRIBUTE(release_shared_capability(__VA_ARGS__))
#define PARTITA_TRY_ACQUIRE(...) PARTITA_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define PARTITA_RELEASE(...) PARTITA_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
// Classes that are locks, and classes that hold one until the end of their scope.
#define PARTITA_CAPABILITY(kind) PARTITA_THREAD_ATTRIBUTE(capability(kind))
#define PARTITA_SCOPED_CAPABILITY PARTITA_THREAD_ATTRIBUTE(scoped_lockable)
// For what the analysis cannot follow; a comment says why it is safe.
#define PARTITA_NO_THREAD_SAFETY_ANALYSIS PARTITA_THREAD_ATTRIBUTE(no_thread_safety_analysis)
