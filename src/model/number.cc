#include "model/number.h"
