// A room's headers can't be reached from below (cmake/rooms.cmake). Here: the history from prediction's.
#include "storage/rows.h"
#ifdef FORBIDDEN
#include "prediction/model_set.h"
#endif
