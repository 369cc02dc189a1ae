/* Expands rules with libical. Reads lines `RULE TAB START TAB HORIZON`, writes the starts of each on one line. */
#include <libical/ical.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  static char line[8192];
  while (fgets(line, sizeof line, stdin)) {
    char *rule = strtok(line, "\t\n"), *start = strtok(NULL, "\t\n"), *horizon = strtok(NULL, "\t\n");
    if (!rule || !start || !horizon) return 1;
    struct icalrecurrencetype recurrence = icalrecurrencetype_from_string(rule);
    struct icaltimetype last = icaltime_from_string(horizon);
    icalrecur_iterator *dates = icalrecur_iterator_new(recurrence, icaltime_from_string(start));
    for (int count = 0; dates && count < 1500; count++) {
      struct icaltimetype date = icalrecur_iterator_next(dates);
      if (icaltime_is_null_time(date) || icaltime_compare(date, last) > 0) break;
      printf("%04d-%02d-%02d %02d:%02d:%02d,", date.year, date.month, date.day, date.hour, date.minute, date.second);
    }
    printf("\n");
    if (dates) icalrecur_iterator_free(dates);
  }
  return 0;
}
