"""Expands recurrences with python3-dateutil and python3-recurring-ical-events and compares them with the starts it is given.

Reads one JSON record a line: {zone, allDay, start, horizon, lines, instants}. Writes one JSON line for each difference, and figures at the end.
"""
import json
import re
import sys
import warnings
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr
import icalendar
import recurring_ical_events

warnings.filterwarnings("ignore")
WALL = "%Y-%m-%d %H:%M:%S"


def wall(text):
    return datetime.strptime(text, WALL)


def instant(naive, zone):
    """Return the UTC time of a wall time: the first of two, and moved forward out of a gap."""
    return naive.replace(tzinfo=ZoneInfo(zone)).astimezone(timezone.utc).strftime(WALL)


def values(line):
    """Return the wall times of an RDATE or EXDATE line; only series in UTC have times in UTC."""
    return [datetime.strptime(text.rstrip("Z"), "%Y%m%dT%H%M%S" if "T" in text else "%Y%m%d") for text in line.split(":", 1)[1].split(",")]


def by_dateutil(case):
    zone = case["zone"]
    start = wall(case["start"])
    found, added, left = set(), [], []
    for line in case["lines"]:
        if line.startswith("RRULE:"):
            parts = []
            for part in line[6:].split(";"):
                if part.startswith("UNTIL=") and part.endswith("Z"):
                    utc = datetime.strptime(part[6:], "%Y%m%dT%H%M%SZ").replace(tzinfo=timezone.utc)
                    part = "UNTIL=" + utc.astimezone(ZoneInfo(zone)).strftime("%Y%m%dT%H%M%S")
                parts.append(part)
            for at in rrulestr(";".join(parts), dtstart=start):
                if at > wall(case["horizon"]) or len(found) > 2000:
                    break
                found.add(at)
        elif line.startswith("RDATE"):
            added += values(line)
        else:
            left += values(line)
    found.add(start)
    found |= {at for at in added if at <= wall(case["horizon"])}
    name = "UTC" if case["allDay"] else zone
    gone = {instant(at, name) for at in left}
    return sorted({instant(at, name) for at in found} - gone)[:750]


def fold(text):
    return "\r\n".join([text[:70]] + [" " + text[i:i + 60] for i in range(70, len(text), 60)])


def by_recurring_ical_events(case):
    start = case["start"].replace("-", "").replace(":", "").replace(" ", "T")
    if case["allDay"]:
        begin = "DTSTART;VALUE=DATE:" + start[:8]
    elif case["zone"] == "UTC":
        begin = f"DTSTART:{start}Z"
    else:
        begin = f"DTSTART;TZID={case['zone']}:{start}"
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VEVENT", "UID:1", "DTSTAMP:20260101T000000Z", begin, "SUMMARY:x", *case["lines"], "END:VEVENT", "END:VCALENDAR"]
    calendar = icalendar.Calendar.from_ical("\r\n".join(fold(line) for line in lines) + "\r\n")
    found = set()
    first = wall(case["start"]) - timedelta(days=3)
    for event in recurring_ical_events.of(calendar).between(first, wall(case["horizon"]) + timedelta(days=3)):
        at = event["DTSTART"].dt
        if isinstance(at, datetime):
            found.add(at.astimezone(timezone.utc).strftime(WALL))
        elif isinstance(at, date):
            found.add(at.strftime("%Y-%m-%d 00:00:00"))
    last = instant(wall(case["horizon"]), "UTC" if case["allDay"] else case["zone"])
    return sorted(at for at in found if at <= last)[:750]


def odd(case):
    """Return True if a time of the series is at a clock change, which pytz in recurring-ical-events handles differently."""
    if case["allDay"]:
        return False
    zone = ZoneInfo(case["zone"])
    at = wall(case["start"])
    for _ in range(800):
        for moved in (at, at + timedelta(hours=1), at - timedelta(hours=1)):
            if moved.replace(tzinfo=zone, fold=0).utcoffset() != moved.replace(tzinfo=zone, fold=1).utcoffset():
                return True
        at += timedelta(days=1)
    return False


def mixed(case):
    """Return True if BYDAY mixes plain weekdays with numbered ones: dateutil, which both programs use, requires both."""
    found = [re.search(r"BYDAY=([^;]*)", line) for line in case["lines"]]
    days = [day for match in found if match for day in match[1].split(",")]
    return len({len(day) == 2 for day in days}) == 2


def partial(case):
    """Return True if BYSETPOS counts in a first week that began before the start: dateutil leaves out the days before the start."""
    rule = case["lines"][0]
    if "FREQ=WEEKLY" not in rule or "BYSETPOS" not in rule:
        return False
    first = re.search(r"WKST=(..)", rule)
    return wall(case["start"]).weekday() != ["MO", "TU", "WE", "TH", "FR", "SA", "SU"].index(first[1] if first else "MO")


def main():
    figures = {"cases": 0, "dateutil": 0, "recurring_ical_events": 0, "clocks left out": 0, "mixed weekdays left out": 0, "partial weeks left out": 0, "differences": 0}
    for line in sys.stdin:
        case = json.loads(line)
        figures["cases"] += 1
        if mixed(case):
            figures["mixed weekdays left out"] += 1
            continue
        if partial(case):
            figures["partial weeks left out"] += 1
            continue
        voices = {"dateutil": by_dateutil}
        if odd(case):
            figures["clocks left out"] += 1
        else:
            voices["recurring_ical_events"] = by_recurring_ical_events
        for name, expand in voices.items():
            try:
                found = expand(case)
            except Exception as error:  # a voice that fails says so, and is counted
                found = [repr(error)]
            figures[name] += 1
            if found != case["instants"]:
                figures["differences"] += 1
                ours, theirs = set(case["instants"]), set(found)
                print(json.dumps({"voice": name, "zone": case["zone"], "allDay": case["allDay"], "start": case["start"], "lines": case["lines"], "only ours": sorted(ours - theirs)[:5], "only theirs": sorted(theirs - ours)[:5]}))
    print(json.dumps(figures))


main()
