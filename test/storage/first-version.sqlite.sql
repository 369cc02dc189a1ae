-- A calendar of the first version (commit 5edaeea) on SQLite, as that program made it: the statements it sent, and the rows it wrote when it was asked over HTTP.
-- One statement a line. Without what it derives from the rows: presented records and the index of words.
CREATE TABLE migrations (name text primary key)
CREATE TABLE records (id integer primary key autoincrement, kind text not null)
CREATE TABLE users (id integer primary key autoincrement, login text not null unique, email text not null unique, name text not null, role text not null, created_utc text not null)
CREATE TABLE credentials (id integer primary key autoincrement, "user" integer not null references users (id) on delete cascade, kind text not null, name text not null, hash text not null unique, created_utc text not null)
CREATE INDEX credentials_user on credentials ("user")
CREATE TABLE events ( id integer primary key references records (id), author integer not null, status text not null, slug text not null, date text not null, date_utc text not null, modified text not null, modified_utc text not null, image integer, trusted smallint not null default 0, search text not null, title text not null, description text not null default '', excerpt text not null default '', start_date text not null, end_date text not null, utc_start_date text not null, utc_end_date text not null, timezone text not null, all_day smallint not null default 0, cost text not null default '[]', website text not null default '', show_map smallint not null default 0, show_map_link smallint not null default 0, hide_from_listings smallint not null default 0, sticky smallint not null default 0, featured smallint not null default 0)
CREATE INDEX events_listed on events (status, hide_from_listings, start_date, date, id)
CREATE INDEX events_author on events (author, start_date)
CREATE INDEX events_scheduled on events (date_utc) where status = 'future'
CREATE TABLE venues ( id integer primary key references records (id), author integer not null, status text not null, slug text not null, date text not null, date_utc text not null, modified text not null, modified_utc text not null, image integer, trusted smallint not null default 0, search text not null, venue text not null, folded text not null, description text not null default '', excerpt text not null default '', show_map smallint not null default 1, show_map_link smallint not null default 1, address text not null default '', city text not null default '', country text not null default '', province text not null default '', state text not null default '', zip text not null default '', phone text not null default '', stateprovince text not null default '', website text not null default '', geo_lat real, geo_lng real)
CREATE INDEX venues_place on venues (geo_lat, geo_lng)
CREATE TABLE organizers ( id integer primary key references records (id), author integer not null, status text not null, slug text not null, date text not null, date_utc text not null, modified text not null, modified_utc text not null, image integer, trusted smallint not null default 0, search text not null, organizer text not null, folded text not null, description text not null default '', excerpt text not null default '', phone text not null default '', website text not null default '', email text not null default '')
CREATE UNIQUE INDEX events_slug on events (slug) where status not in ('draft', 'pending')
CREATE INDEX events_any_slug on events (slug, id)
CREATE UNIQUE INDEX venues_slug on venues (slug) where status not in ('draft', 'pending')
CREATE INDEX venues_any_slug on venues (slug, id)
CREATE UNIQUE INDEX organizers_slug on organizers (slug) where status not in ('draft', 'pending')
CREATE INDEX organizers_any_slug on organizers (slug, id)
CREATE INDEX venues_folded on venues (folded, id)
CREATE INDEX venues_listed on venues (status, date desc, id desc)
CREATE INDEX venues_scheduled on venues (date_utc) where status = 'future'
CREATE INDEX organizers_folded on organizers (folded, id)
CREATE INDEX organizers_listed on organizers (status, date desc, id desc)
CREATE INDEX organizers_scheduled on organizers (date_utc) where status = 'future'
CREATE TABLE images (id integer primary key references records (id), author integer not null, title text not null, date_utc text not null, file text not null, mime_type text not null, width integer not null, height integer not null, filesize integer not null, sizes text not null, source_url text not null, original_image text not null)
CREATE UNIQUE INDEX images_file on images (file)
CREATE INDEX images_source on images (source_url) where source_url <> ''
CREATE TABLE terms (id integer primary key autoincrement, taxonomy text not null, name text not null, slug text not null, description text not null, parent integer not null, count integer not null default 0, folded text not null)
CREATE UNIQUE INDEX terms_slug on terms (taxonomy, slug)
CREATE INDEX terms_folded on terms (taxonomy, folded, id)
CREATE INDEX terms_parent on terms (parent)
CREATE TABLE event_venues (event integer not null references events (id) on delete cascade, venue integer not null references venues (id) on delete cascade, position integer not null, primary key (event, venue))
CREATE INDEX event_venues_venue on event_venues (venue, event)
CREATE TABLE event_organizers (event integer not null references events (id) on delete cascade, organizer integer not null references organizers (id) on delete cascade, position integer not null, primary key (event, organizer))
CREATE INDEX event_organizers_organizer on event_organizers (organizer, event)
CREATE TABLE event_terms (event integer not null references events (id) on delete cascade, term integer not null references terms (id) on delete cascade, primary key (event, term))
CREATE INDEX event_terms_term on event_terms (term, event)
CREATE TABLE changes (version integer primary key autoincrement, kind text not null, record integer not null)
CREATE TABLE words (id integer primary key, word text not null unique)
CREATE VIRTUAL TABLE words_trigrams using fts5 (word, content='words', content_rowid='id', columnsize=0, detail=none, tokenize='trigram case_sensitive 1')
CREATE TRIGGER words_added after insert on words begin insert into words_trigrams (rowid, word) values (new.id, new.word); end
CREATE VIRTUAL TABLE event_words using fts5 (terms, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'")
CREATE TABLE unindexed_events (id integer primary key)
CREATE TRIGGER events_added after insert on events begin insert or ignore into unindexed_events values (new.id); end
CREATE TRIGGER events_rewritten after update of search on events when new.search <> old.search begin insert or ignore into unindexed_events values (new.id); end
CREATE TRIGGER events_removed after delete on events begin delete from unindexed_events where id = old.id; delete from event_words where rowid = old.id; end
CREATE TABLE presented_records (record integer primary key references records (id) on delete cascade, form text not null, image integer, own text not null)
CREATE TRIGGER events_update_unpresents after update on events begin delete from presented_records where record = old.id; end
CREATE TRIGGER events_delete_unpresents after delete on events begin delete from presented_records where record = old.id; end
CREATE TRIGGER venues_update_unpresents after update on venues begin delete from presented_records where record = old.id; end
CREATE TRIGGER venues_delete_unpresents after delete on venues begin delete from presented_records where record = old.id; end
CREATE TRIGGER organizers_update_unpresents after update on organizers begin delete from presented_records where record = old.id; end
CREATE TRIGGER organizers_delete_unpresents after delete on organizers begin delete from presented_records where record = old.id; end
CREATE TABLE editions (edition text primary key)
insert into migrations (name) values ('0001-first'), ('0002-event-words'), ('0003-presented-records'), ('0004-editions')
insert into editions (edition) values ('7A18qdw2')
insert into records (id, kind) values (4, 'venue'), (5, 'venue'), (6, 'organizer'), (7, 'image'), (8, 'image'), (9, 'venue'), (10, 'event'), (11, 'event'), (12, 'event'), (13, 'event'), (14, 'event')
insert into users (id, login, email, name, role, created_utc) values (1, 'admin', 'admin', 'Administrator', 'administrator', '2026-11-23 14:55:58')
insert into credentials (id, "user", kind, name, hash, created_utc) values (1, 1, 'password', 'First start', '9f9ba20979fa62895d175c8f877856422c6b4f3673a7d821a6a3ef12253b041d', '2026-11-23 14:55:58')
insert into events (id, author, status, slug, date, date_utc, modified, modified_utc, image, trusted, search, title, description, excerpt, start_date, end_date, utc_start_date, utc_end_date, timezone, all_day, cost, website, show_map, show_map_link, hide_from_listings, sticky, featured) values (10, 1, 'publish', 'evening-of-songs', '2026-11-23 15:56:01', '2026-11-23 14:56:01', '2026-11-23 15:56:01', '2026-11-23 14:56:01', null, 1, 'evening of songs'||char(10)||''||char(10)||'uber alles: it''s "quoted"', 'Evening of Songs', '<p>Über <b>alles</b>: it''s "quoted"</p>', '', '2026-12-05 19:30:00', '2026-12-05 22:00:00', '2026-12-05 18:30:00', '2026-12-05 21:00:00', 'Europe/Oslo', 0, '["10"]', 'https://example.org/songs', 0, 0, 0, 0, 1), (11, 1, 'publish', 'evening-of-songs-2', '2026-11-23 15:56:01', '2026-11-23 14:56:01', '2026-11-23 15:56:01', '2026-11-23 14:56:01', 7, 1, 'evening of songs'||char(10)||''||char(10)||'', 'Evening of Songs', '', '', '2026-12-06 19:30:00', '2026-12-06 22:00:00', '2026-12-06 18:30:00', '2026-12-06 21:00:00', 'Europe/Oslo', 0, '[]', '', 0, 0, 0, 0, 0), (12, 1, 'draft', '', '2026-11-23 15:56:01', '0000-00-00 00:00:00', '2026-11-23 15:56:01', '2026-11-23 14:56:01', null, 1, 'a draft'||char(10)||''||char(10)||'', 'A draft', '', '', '2027-01-01 10:00:00', '2027-01-01 11:00:00', '2027-01-01 09:00:00', '2027-01-01 10:00:00', 'Europe/Oslo', 0, '[]', '', 0, 0, 0, 0, 0), (13, 1, 'trash', 'cancelled-walk__trashed', '2026-11-23 15:56:01', '2026-11-23 14:56:01', '2026-11-23 15:56:02', '2026-11-23 14:56:02', null, 1, 'cancelled walk'||char(10)||''||char(10)||'', 'Cancelled Walk', '', '', '2027-02-01 00:00:00', '2027-02-01 23:59:59', '2027-01-31 23:00:00', '2027-02-01 22:59:59', 'Europe/Oslo', 1, '[]', '', 0, 0, 0, 0, 0), (14, 1, 'future', 'announced-later', '2027-02-01 08:00:00', '2027-02-01 07:00:00', '2026-11-23 15:56:01', '2026-11-23 14:56:01', null, 1, 'announced later'||char(10)||''||char(10)||'', 'Announced later', '', '', '2027-03-01 10:00:00', '2027-03-01 11:00:00', '2027-03-01 09:00:00', '2027-03-01 10:00:00', 'Europe/Oslo', 0, '[]', '', 0, 0, 0, 0, 0)
insert into venues (id, author, status, slug, date, date_utc, modified, modified_utc, image, trusted, search, venue, folded, description, excerpt, show_map, show_map_link, address, city, country, province, state, zip, phone, stateprovince, website, geo_lat, geo_lng) values (4, 1, 'publish', 'town-hall', '2026-11-23 15:55:59', '2026-11-23 14:55:59', '2026-11-23 15:55:59', '2026-11-23 14:55:59', null, 1, 'town hall'||char(10)||'market 1'||char(10)||'oslo'||char(10)||'norway', 'Town Hall', 'town hall', '', '', 1, 1, 'Market 1', 'Oslo', 'Norway', '', '', '', '', '', '', 59.9, 10.7), (5, 1, 'publish', 'garden', '2026-11-23 15:56:00', '2026-11-23 14:56:00', '2026-11-23 15:56:00', '2026-11-23 14:56:00', null, 1, 'garden', 'Garden', 'garden', '', '', 1, 1, '', '', '', '', '', '', '', '', '', null, null), (9, 1, 'trash', 'cellar__trashed', '2026-11-23 15:56:01', '2026-11-23 14:56:01', '2026-11-23 15:56:02', '2026-11-23 14:56:02', null, 1, 'cellar', 'Cellar', 'cellar', '', '', 1, 1, '', '', '', '', '', '', '', '', '', null, null)
insert into organizers (id, author, status, slug, date, date_utc, modified, modified_utc, image, trusted, search, organizer, folded, description, excerpt, phone, website, email) values (6, 1, 'publish', 'ann-ohara', '2026-11-23 15:56:00', '2026-11-23 14:56:00', '2026-11-23 15:56:00', '2026-11-23 14:56:00', null, 1, 'ann o''hara'||char(10)||'ann@example.org', 'Ann O''Hara', 'ann o''hara', '', '', '', '', 'ann@example.org')
insert into images (id, author, title, date_utc, file, mime_type, width, height, filesize, sizes, source_url, original_image) values (7, 1, 'Poster', '2026-11-23 14:56:01', '2026/11/Poster.png', 'image/png', 4, 4, 73, '{}', '', ''), (8, 1, 'poster', '2026-11-23 14:56:01', '2026/11/poster.png', 'image/png', 4, 4, 73, '{}', '', '')
insert into terms (id, taxonomy, name, slug, description, parent, count, folded) values (1, 'category', 'Music', 'music', 'Loud', 0, 0, 'music'), (2, 'category', 'Jazz', 'jazz', '', 1, 1, 'jazz'), (3, 'tag', 'Free entry', 'free-entry', '', 0, 1, 'free entry')
insert into event_venues (event, venue, position) values (10, 4, 0), (10, 5, 1)
insert into event_organizers (event, organizer, position) values (10, 6, 0)
insert into event_terms (event, term) values (10, 2), (10, 3)
insert into changes (version, kind, record) values (1, 'user', 1), (2, 'user', 1), (3, 'term', 1), (4, 'term', 2), (5, 'term', 3), (6, 'venue', 4), (7, 'venue', 5), (8, 'organizer', 6), (9, 'image', 7), (10, 'image', 8), (11, 'venue', 9), (12, 'term', 2), (13, 'term', 3), (14, 'event', 10), (15, 'event', 11), (16, 'event', 12), (17, 'event', 13), (18, 'event', 14), (19, 'term', 4), (20, 'term', 4), (21, 'event', 13), (22, 'venue', 9)
update sqlite_sequence set seq = 14 where name = 'records'
update sqlite_sequence set seq = 1 where name = 'users'
update sqlite_sequence set seq = 22 where name = 'changes'
update sqlite_sequence set seq = 1 where name = 'credentials'
update sqlite_sequence set seq = 4 where name = 'terms'
