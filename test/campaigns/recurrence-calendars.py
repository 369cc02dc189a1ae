"""Expands calendars with python3-recurring-ical-events. Reads one JSON record a line: {name, ics}. Writes the starts of each, in UTC or as days, as one JSON line."""
import json
import sys
import warnings
from datetime import datetime, timedelta, timezone

import icalendar
import recurring_ical_events

warnings.filterwarnings("ignore")


def shown(at):
    if not isinstance(at, datetime):
        return at.strftime("%Y-%m-%d")
    return at.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


for line in sys.stdin:
    case = json.loads(line)
    try:
        calendar = icalendar.Calendar.from_ical(case["ics"])
        now = datetime.now()
        events = recurring_ical_events.of(calendar).between(now - timedelta(days=30), now + timedelta(days=800))
        starts = sorted(shown(event["DTSTART"].dt) for event in events if event.get("STATUS") != "CANCELLED")
    except Exception as error:  # a reader that fails says so, and differs
        starts = [repr(error)]
    print(json.dumps(starts))
