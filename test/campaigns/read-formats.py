"""Reads feeds with independent Python parsers and prints the events, one JSON record a line."""

import csv
import datetime
import io
import json
import sys

import feedparser
import icalendar
import vobject

csv.field_size_limit(1 << 30)


def instant(value):
    if isinstance(value, str):
        if len(value) == 10:
            return value
        value = datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    if not isinstance(value, datetime.datetime):
        return value.isoformat()
    return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def last(start, end):
    """Return the last day: the end of an all-day event in a calendar file is the day after it."""
    if end is None:
        return start
    if len(end) == 10 and end > start:
        return (datetime.date.fromisoformat(end) - datetime.timedelta(days=1)).isoformat()
    return end


# Replaces escaped backslashes while vobject parses: it takes a backslash before an n for the end of a line.
BACKSLASH = "\ue000"


def own_zones(text):
    """Rename zones, so that the parser uses the rules of the file and not its own, which may be old."""
    return text.replace("TZID:", "TZID:own/").replace("TZID=", "TZID=own/")


def with_icalendar(text):
    calendar = icalendar.Calendar.from_ical(own_zones(text).replace("\r\n ", "").replace("\\\\", BACKSLASH))

    def read(value):
        return str(value).replace(BACKSLASH, "\\")

    for event in calendar.walk("VEVENT"):
        start = instant(event["DTSTART"].dt)
        end = instant(event["DTEND"].dt) if "DTEND" in event else None
        yield {"url": str(event["URL"]), "uid": str(event["UID"]), "title": read(event.get("SUMMARY", "")), "start": start, "end": last(start, end), "text": read(event.get("DESCRIPTION", ""))}


def with_vobject(text):
    for event in vobject.readOne(own_zones(text)).vevent_list:
        start = instant(event.dtstart.value)
        end = instant(event.dtend.value) if hasattr(event, "dtend") else None
        # vobject leaves escapes in addresses and identities, but these have none.
        yield {"url": event.url.value, "uid": event.uid.value, "title": event.summary.value, "start": start, "end": last(start, end)}


def with_feedparser(text):
    feed = feedparser.parse(text.encode(), sanitize_html=False, resolve_relative_uris=False)
    if feed.bozo:
        raise feed.bozo_exception
    for entry in feed.entries:
        # Readers of RSS take a title with entities for HTML.
        title = entry.title.replace("&lt;", "<").replace("&amp;", "&") if feed.version.startswith("rss") else entry.title
        yield {"url": entry.link, "uid": entry.id.replace("urn:uuid:", ""), "title": title, "start": instant(entry.ev_startdate), "end": instant(entry.ev_enddate)}


def with_json(text):
    for item in json.loads(text)["items"]:
        told = item["_kalends"]
        yield {"url": item["url"], "uid": item["id"], "title": item["title"], "start": instant(told["start"]), "end": instant(told["end"])}


def with_csv(text):
    def read(cell):
        return cell[1:] if cell.startswith("'") else cell

    for row in csv.DictReader(io.StringIO(text, newline="")):
        times = [row[f"{edge}_date"][:10] if row["all_day"] == "true" else instant(row[f"utc_{edge}_date"].replace(" ", "T") + "Z") for edge in ("start", "end")]
        yield {"url": row["url"], "uid": row["uid"], "title": read(row["title"]), "start": times[0], "end": times[1], "text": read(row["description"])}


def with_linked_data(text):
    for event in json.loads(text)["@graph"]:
        yield {"url": event["url"], "uid": event["identifier"], "title": event["name"], "start": instant(event["startDate"]), "end": instant(event["endDate"]), "text": event.get("description", "")}


READERS = {
    "ics": [with_icalendar, with_vobject],
    "rss": [with_feedparser],
    "atom": [with_feedparser],
    "json": [with_json],
    "csv": [with_csv],
    "jsonld": [with_linked_data],
}

folder = sys.argv[1]
for ending, readers in READERS.items():
    with open(f"{folder}/events.{ending}", encoding="utf-8", newline="") as file:
        text = file.read()
    for reader in readers:
        for event in reader(text):
            print(json.dumps({"format": ending, "reader": reader.__name__, **event}))
