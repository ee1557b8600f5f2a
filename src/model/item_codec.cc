#include "model/item_codec.h"
