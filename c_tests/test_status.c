/* Status names, versions, and the message of the last failure. */
#include "harness.h"

#include <pthread.h>

static void every_status_has_its_name(void) {
  static const struct {
    fc_status status;
    const char *name;
  } names[] = {{FC_OK, "OK"},
               {FC_ERR_ARGUMENT, "ARGUMENT"},
               {FC_ERR_SYNTAX, "SYNTAX"},
               {FC_ERR_NOT_FOUND, "NOT_FOUND"},
               {FC_ERR_LOAD, "LOAD"},
               {FC_ERR_UNSUPPORTED, "UNSUPPORTED"},
               {FC_ERR_DENIED, "DENIED"},
               {FC_ERR_STATE, "STATE"},
               {FC_ERR_TIMEOUT, "TIMEOUT"},
               {FC_ERR_CANCELLED, "CANCELLED"},
               {FC_ERR_MEMORY, "MEMORY"},
               {FC_ERR_SYSTEM, "SYSTEM"},
               {FC_ERR_FAULT, "FAULT"},
               {FC_ERR_INTERNAL, "INTERNAL"},
               {FC_ERR_LIMIT, "LIMIT"},
               {FC_DONE, "DONE"}};
  for (size_t i = 0; i < COUNT_OF(names); i++)
    CHECK_CONTAINS(names[i].name, fc_status_name(names[i].status));
}

static void a_number_that_is_no_status_has_a_name_too(void) {
  CHECK(fc_status_name((fc_status)77) != NULL);
  CHECK(strlen(fc_status_name((fc_status)77)) > 0);
}

static void versions(void) {
  CHECK_STRING("0.1.0", fc_version());
  CHECK(fc_abi_version() >= 1);
}

static void *message_of_a_new_thread(void *unused) {
  (void)unused;
  static char message[8];
  strncpy(message, fc_error_message(), sizeof message - 1);
  return message;
}

static void messages_belong_to_their_thread(void) {
  pthread_t thread;
  void *message = NULL;
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_decls_new(NULL));
  CHECK_MESSAGE("out");
  pthread_create(&thread, NULL, message_of_a_new_thread, NULL);
  pthread_join(thread, &message);
  CHECK_STRING("", (const char *)message);
  CHECK_MESSAGE("out");
}

static void the_message_of_a_failure_survives_queries(void) {
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_decls_new(NULL));
  CHECK_INT(FC_F64, fc_type_kind(fc_type_scalar(FC_F64)));
  CHECK_MESSAGE("out");
}

static void a_message_outlives_seven_more_failures(void) {
  CHECK_STATUS(FC_ERR_ARGUMENT, fc_decls_new(NULL));
  const char *first = fc_error_message();
  char copy[200] = "";
  strncpy(copy, first, sizeof copy - 1);
  for (int i = 0; i < 7; i++) {
    CHECK_STATUS(FC_ERR_ARGUMENT, fc_library_open("", NULL, NULL));
    CHECK(fc_error_message() != first);
    CHECK_STRING(copy, first);
  }
  CHECK_MESSAGE("fc_library_open");
}

int main(void) {
  CHECK_STRING("", fc_error_message());
  CHECK_INT(0, fc_error_os());
  RUN(every_status_has_its_name);
  RUN(a_number_that_is_no_status_has_a_name_too);
  RUN(versions);
  RUN(messages_belong_to_their_thread);
  RUN(the_message_of_a_failure_survives_queries);
  RUN(a_message_outlives_seven_more_failures);
  return harness_end();
}
