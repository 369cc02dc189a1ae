"""Reads calendars separated by form feeds. Prints a line for each: the starts in UTC that python-dateutil computes for its event with its time zone."""

import datetime
import io
import re
import sys

from dateutil import rrule, tz


def starts(text):
    times = []
    # python-dateutil needs a plain name, single dates and times; a day gets the time of the start, as in RFC 5545.
    zone = re.sub(r"TZID:.*", "TZID:own", re.search(r"BEGIN:VTIMEZONE.*END:VTIMEZONE\r\n", text, re.S).group())
    lines = []
    for line in zone.splitlines():
        name, _, value = line.partition(":")
        if name == "DTSTART":
            time = value[8:]
        if name.startswith("RDATE"):
            lines += [f"RDATE:{date if 'T' in date else date + time}" for date in value.split(",")]
        else:
            lines.append(line)
    own = tz.tzical(io.StringIO("\r\n".join(lines) + "\r\n")).get()
    event = text[text.index("BEGIN:VEVENT"):]
    start = datetime.datetime.strptime(re.search(r"DTSTART[^\r]*:(\d{8}T\d{6})", event).group(1), "%Y%m%dT%H%M%S")
    for wall in rrule.rrulestr(re.search(r"RRULE:(\S+)", event).group(1), dtstart=start):
        times.append(wall.replace(tzinfo=own).astimezone(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S"))
    return times


for calendar in sys.stdin.buffer.read().decode().split("\f"):
    print(",".join(starts(calendar)))
