/* The header alone, first, and twice; in each language standard it claims to serve. */
#include "farcall.h"

const char *version_of_header_test(void);
const char *version_of_header_test(void) { return fc_version(); }
