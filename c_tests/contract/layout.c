#include "layout.h"

int main(void) {
  print_layout();
  return 0;
}
