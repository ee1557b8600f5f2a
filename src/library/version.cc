#include "library/partita.h"

// Of the library as a whole: the rest of it knows no version.
const char* partita_version() { return PARTITA_VERSION; }
uint32_t partita_abi() { return PARTITA_ABI; }
