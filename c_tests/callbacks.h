/* Making callbacks in tests. */
#ifndef CALLBACKS_H
#define CALLBACKS_H

#include "harness.h"

static inline fc_callback_options callback_defaults(void) {
  fc_callback_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  return options;
}

static inline fc_signature *parsed(const char *prototype) {
  fc_signature *signature = NULL;
  CHECK_STATUS(FC_OK, fc_signature_parse(NULL, prototype, &signature));
  return signature;
}

/* A callback of a prototype; the signature is freed at once, since nothing of it is needed. */
static inline fc_callback *callback_of(const char *prototype, fc_handler handler, void *user,
                                       const fc_callback_options *options) {
  fc_signature *signature = parsed(prototype);
  fc_callback *callback = NULL;
  CHECK_STATUS(FC_OK, fc_callback_new(signature, handler, user, options, &callback));
  fc_signature_free(signature);
  return callback;
}

static inline fc_callback *slot_callback_of(const char *prototype, fc_slot_handler handler,
                                            void *user, const fc_callback_options *options) {
  fc_signature *signature = parsed(prototype);
  fc_callback *callback = NULL;
  CHECK_STATUS(FC_OK, fc_callback_new_slots(signature, handler, user, options, &callback));
  fc_signature_free(signature);
  return callback;
}

#define CODE(type, callback) FC_AS_FUNCTION(type, fc_callback_code(callback))

#endif
