// libpq, loaded when the first store in PostgreSQL is opened. If it were linked, it and the twenty libraries that it
// needs would cost every server half of its start-up time and a third of its memory, and no server would start without
// them.
#pragma once

#include <libpq-fe.h>

#include <memory>

#include "base/result.h"

namespace partita::postgres {

// The functions that are used.
#define PARTITA_LIBPQ(use)                                                                                             \
  use(PQclear) use(PQconnectPoll) use(PQconnectStartParams) use(PQconnectdbParams) use(PQconninfoFree)                 \
      use(PQconninfoParse) use(PQconsumeInput) use(PQenterPipelineMode) use(PQerrorMessage) use(PQexec) use(PQfinish)  \
          use(PQflush) use(PQfreemem) use(PQgetResult) use(PQgetisnull) use(PQgetlength) use(PQgetvalue) use(PQisBusy) \
              use(PQntuples) use(PQpipelineSync) use(PQresultErrorField) use(PQresultErrorMessage) use(PQresultStatus) \
                  use(PQsendPrepare) use(PQsendQueryParams) use(PQsendQueryPrepared) use(PQsetnonblocking)             \
                      use(PQsocket) use(PQstatus)

struct Libpq {
#define PARTITA_USE(function) decltype(&::function) function = nullptr;
  PARTITA_LIBPQ(PARTITA_USE)
#undef PARTITA_USE
};

// Callable from any thread; later calls do nothing. Error: kUnavailable, naming what is missing.
Result<void> load_libpq();
// Precondition: load_libpq() succeeded.
const Libpq& libpq();

struct FinishSession {
  void operator()(PGconn* session) const { libpq().PQfinish(session); }
};
// An open connection; its end closes it.
using Session = std::unique_ptr<PGconn, FinishSession>;

}  // namespace partita::postgres
