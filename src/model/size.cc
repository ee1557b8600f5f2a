#include "model/size.h"
