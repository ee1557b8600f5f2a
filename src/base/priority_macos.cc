// macOS schedules threads by their class of service. A nice value would count for the whole process.
#include <pthread.h>
#include <pthread/qos.h>

#include "base/priority.h"

namespace partita {

void raise_thread_priority() { pthread_set_qos_class_self_np(QOS_CLASS_USER_INITIATED, 0); }

void lower_thread_priority(int) { pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0); }

}  // namespace partita
