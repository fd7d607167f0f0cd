/* The contract's declarations beside farcall.h: what contradicts does not compile. */
#include HEADER

#include "redeclare.inc"
