// Files as objects of S3, or of a server that speaks its protocol.
//
// An object is written by one PutObject with If-None-Match, so it appears whole and is never replaced, whatever a
// request that went astray does later. A server that does not honour this header is refused: prepare() tries it, with
// an object that stays.
#pragma once

#include <memory>
#include <stop_token>

#include "base/result.h"
#include "sinks/file_store.h"
#include "sinks/s3_place.h"

namespace partita::sinks {

// Does no I/O. Once `hurry` is requested, calls end soon. The files of the place are read for each request.
std::unique_ptr<FileStore> make_s3_store(S3Place place, std::stop_token hurry);

}  // namespace partita::sinks
