#include "model/key.h"
