// A member that is added to a saved struct must be saved.
#include "parsers/base/saved.h"

namespace etad {

struct Saved {
  int first = 0;
#ifdef FORBIDDEN
  int forgotten = 0;
#endif
};
ETAD_SAVED(Saved, first)

}  // namespace etad
