#include HEADER

extern "C" {
#include "redeclare.inc"
}
