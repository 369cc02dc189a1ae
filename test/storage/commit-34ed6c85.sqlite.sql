-- A calendar of commit 34ed6c85 on SQLite: the statements that it made its tables with, and the rows that it wrote when it was asked over HTTP.
-- One statement a line. Without what it derives from the rows: the indexes of words.
create table if not exists migrations (name text primary key)
create table users (id integer primary key autoincrement, login text not null unique, email text not null unique, name text not null, role text not null, created_utc text not null)
create table credentials (id integer primary key autoincrement, "user" integer not null references users (id) on delete cascade, kind text not null, name text not null, hash text not null unique, created_utc text not null, scope text not null default '', expires_utc text not null default '', used_utc text not null default '')
create index credentials_user on credentials ("user")
create table history (id integer primary key, time_utc text not null, "user" integer not null, login text not null, action text not null, kind text not null, record integer not null, name text not null, address text not null, client text not null, request text not null, sequence integer not null default 0)
create table records (id integer primary key autoincrement, kind text not null)
create table events (id integer primary key references records (id), author integer not null, status text not null, slug text not null, date text not null, date_utc text not null, modified text not null, modified_utc text not null, image integer, trusted smallint not null default 0, search text not null, title text not null, description text not null default '', excerpt text not null default '', start_date text not null, end_date text not null, utc_start_date text not null, utc_end_date text not null, timezone text not null, all_day smallint not null default 0, cost text not null default '[]', website text not null default '', show_map smallint not null default 0, show_map_link smallint not null default 0, hide_from_listings smallint not null default 0, sticky smallint not null default 0, featured smallint not null default 0, dated integer not null default 0, uid text not null default '', event_status text not null default 'scheduled', event_status_reason text not null default '', series integer, recurrence_id text not null default '', own text not null default '')
create table venues (id integer primary key references records (id), author integer not null, status text not null, slug text not null, date text not null, date_utc text not null, modified text not null, modified_utc text not null, image integer, trusted smallint not null default 0, search text not null, venue text not null, folded text not null, description text not null default '', excerpt text not null default '', show_map smallint not null default 1, show_map_link smallint not null default 1, address text not null default '', city text not null default '', country text not null default '', province text not null default '', state text not null default '', zip text not null default '', phone text not null default '', stateprovince text not null default '', website text not null default '', geo_lat real, geo_lng real, dated integer not null default 0)
create table organizers (id integer primary key references records (id), author integer not null, status text not null, slug text not null, date text not null, date_utc text not null, modified text not null, modified_utc text not null, image integer, trusted smallint not null default 0, search text not null, organizer text not null, folded text not null, description text not null default '', excerpt text not null default '', phone text not null default '', website text not null default '', email text not null default '', dated integer not null default 0)
create table withdrawn_events (event integer primary key, uid text not null, title text not null, start_date text not null, end_date text not null, utc_start_date text not null, utc_end_date text not null, timezone text not null, all_day smallint not null, featured smallint not null, event_status text not null, venues text not null, organizers text not null, terms text not null, withdrawn_utc text not null, kept text not null default '{}')
create unique index events_slug on events (slug) where status not in ('draft', 'pending', 'future')
create index events_draft_slug on events (slug) where status in ('draft', 'pending', 'future')
create index events_scheduled on events (date_utc) where status = 'future'
create index events_image on events (image) where image is not null
create unique index venues_slug on venues (slug) where status not in ('draft', 'pending', 'future')
create index venues_draft_slug on venues (slug) where status in ('draft', 'pending', 'future')
create index venues_scheduled on venues (date_utc) where status = 'future'
create index venues_image on venues (image) where image is not null
create unique index organizers_slug on organizers (slug) where status not in ('draft', 'pending', 'future')
create index organizers_draft_slug on organizers (slug) where status in ('draft', 'pending', 'future')
create index organizers_scheduled on organizers (date_utc) where status = 'future'
create index organizers_image on organizers (image) where image is not null
create index events_listed on events (status, hide_from_listings, start_date, date, id, author, end_date, utc_start_date, featured)
create index events_author on events (author, start_date)
create index events_series on events (series, recurrence_id) where series is not null
create index events_uid on events (uid)
create index venues_listed on venues (status, date desc, id desc, author, geo_lat, geo_lng)
create index organizers_listed on organizers (status, date desc, id desc, author)
create index venues_folded on venues (folded, id)
create index organizers_folded on organizers (folded, id)
create index venues_place on venues (geo_lat, geo_lng)
create index venues_located on venues (status, id, geo_lat, geo_lng) where geo_lat is not null
create table images (id integer primary key references records (id), author integer not null, title text not null, date_utc text not null, file text not null, mime_type text not null, width integer not null, height integer not null, filesize integer not null, sizes text not null, source_url text not null, original_image text not null, slug text not null default '', alt_text text not null default '', caption text not null default '', description text not null default '', modified_utc text not null default '', search text not null default '')
create unique index images_file on images (file)
create index images_source on images (source_url) where source_url <> ''
create index images_slug on images (slug)
create table terms (id integer primary key autoincrement, taxonomy text not null, name text not null, slug text not null, description text not null, parent integer not null, count integer not null default 0, folded text not null)
create unique index terms_slug on terms (taxonomy, slug)
create index terms_folded on terms (taxonomy, folded, id)
create index terms_parent on terms (parent)
create index terms_in_use on terms (taxonomy, count desc, id) where count > 0
create table event_venues (event integer not null references events (id) on delete cascade, venue integer not null references venues (id) on delete cascade, position integer not null, primary key (event, venue)) without rowid
create index event_venues_venue on event_venues (venue, event)
create table event_organizers (event integer not null references events (id) on delete cascade, organizer integer not null references organizers (id) on delete cascade, position integer not null, primary key (event, organizer)) without rowid
create index event_organizers_organizer on event_organizers (organizer, event)
create table event_terms (event integer not null references events (id) on delete cascade, term integer not null references terms (id) on delete cascade, primary key (event, term)) without rowid
create index event_terms_term on event_terms (term, event)
create table changes (kind text not null, record integer not null, position integer not null default 1, sequence integer not null, was_public smallint not null, is_public smallint not null, deleted smallint not null, changed_utc text not null, "user" integer not null, primary key (kind, record)) without rowid
create index changes_position on changes (position)
create index changes_deleted on changes (changed_utc) where deleted = 1
create table changes_dropped (before integer not null)
insert into changes_dropped values ('0')
create table editions (edition text primary key, calendar text not null default '', held integer not null default 0)
create table old_slugs (kind text not null, slug text not null, record integer not null, left_utc text not null, primary key (slug, kind)) without rowid
create index old_slugs_record on old_slugs (record, kind)
create table series (id integer primary key references records (id), author integer not null, status text not null, title text not null, slug text not null, uid text not null, timezone text not null, all_day integer not null, start_date text not null, duration integer not null, rules text not null, written_until text not null, shared text not null, version integer not null, created_utc text not null, modified_utc text not null)
create index series_author on series (author)
create index series_written on series (written_until)
create index series_uid on series (uid)
create table import_sources (id integer primary key autoincrement, address text not null unique, token text not null default '', options text not null default '', holder text not null default '', held_until_utc text not null default '', origin text not null default '')
create table imports (id integer primary key autoincrement, source integer not null, started_utc text not null, ended_utc text not null, state text not null, "user" integer not null, options text not null, counts text not null, position text not null)
create table import_items (source integer not null, kind text not null, identity text not null, occurrence text not null, record integer not null, digest text not null, written text not null, kept text not null, sequence integer not null default 0, page text not null default '', primary key (source, kind, identity, occurrence))
create index import_items_page on import_items (page) where page <> ''
create index import_items_record on import_items (kind, record) where page <> ''
create table import_acts (run integer not null, kind text not null, record integer not null, action text not null, identity text not null, occurrence text not null, before text not null, primary key (run, kind, record))
create table import_schedules (id integer primary key autoincrement, name text not null unique, words text not null, every_seconds integer not null, next_utc text not null, leased_utc text not null, paused integer not null, failures integer not null, outcome text not null)
create table kept_answers ("user" integer not null, key text not null, fingerprint text not null, rights text not null, status smallint not null, location text not null, body text not null, kept_utc text not null, primary key ("user", key))
create index kept_answers_time on kept_answers (kept_utc)
create table push_targets (id integer primary key autoincrement, address text not null unique)
create table push_items (target integer not null, kind text not null, record integer not null, remote integer not null, sent text not null, seen text not null, primary key (target, kind, record))
create table webhooks (id integer primary key autoincrement, url text not null, events text not null, is_private smallint not null, secret text not null, old_secret text not null, old_secret_until_utc text not null, created_utc text not null, failing_since_utc text not null, disabled_utc text not null, disabled_why text not null)
create table webhook_deliveries (id integer primary key autoincrement, webhook integer not null, message text not null, type text not null, kind text not null, record integer not null, state text not null, created_utc text not null, next_utc text not null, attempts integer not null, status integer not null, error text not null, sequence integer not null default 0)
create index webhook_deliveries_due on webhook_deliveries (webhook, next_utc) where next_utc <> ''
create index webhook_deliveries_time on webhook_deliveries (created_utc)
create table presented_records (record integer primary key references records (id) on delete cascade, form text not null, image integer, own text not null)
create table words (id integer primary key, word text not null unique)
create virtual table words_trigrams using fts5 (word, content='words', content_rowid='id', columnsize=0, detail=none, tokenize='trigram case_sensitive 1')
create trigger words_added after insert on words begin insert into words_trigrams (rowid, word) values (new.id, new.word); end
create virtual table event_words using fts5 (terms, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'")
insert into event_words (event_words, rank) values ('automerge', 0)
create table unindexed_events (id integer primary key)
create trigger events_added after insert on events begin insert or ignore into unindexed_events values (new.id); end
create trigger events_rewritten after update of search on events when new.search <> old.search begin insert or ignore into unindexed_events values (new.id); end
create trigger events_removed after delete on events begin delete from unindexed_events where id = old.id; delete from event_words where rowid = old.id; end
create trigger events_update_unpresents after update on events when new.status <> 'trash' begin delete from presented_records where record = old.id; end
create trigger events_delete_unpresents after delete on events begin delete from presented_records where record = old.id; end
create trigger venues_update_unpresents after update on venues begin delete from presented_records where record = old.id; end
create trigger venues_delete_unpresents after delete on venues begin delete from presented_records where record = old.id; end
create trigger organizers_update_unpresents after update on organizers begin delete from presented_records where record = old.id; end
create trigger organizers_delete_unpresents after delete on organizers begin delete from presented_records where record = old.id; end
alter table presented_records rename column own to members
alter table presented_records add column image_at integer not null default 0
alter table presented_records add column rare text not null default ''
alter table history add column former text not null default ''
alter table history add column former_bytes integer not null default 0
create index history_former on history (kind, record, sequence, former_bytes) where former_bytes > 0
create index history_valued on history (id, former_bytes) where former_bytes > 0
create table former_texts (hash text primary key, bytes integer not null, last integer not null, text text not null)
create index former_texts_last on former_texts (last, bytes)
alter table changes add column known_from integer not null default 0
create table owner_settings (name text primary key, value text not null)
alter table venues add column step_free smallint
alter table venues add column accessible_toilet smallint
alter table venues add column accessible_parking smallint
alter table venues add column lift smallint
alter table venues add column hearing_loop smallint
alter table venues add column quiet_space smallint
alter table venues add column assistance_dogs smallint
alter table events add column captions smallint
alter table events add column audio_description smallint
alter table events add column relaxed smallint
alter table events add column easy_language smallint
alter table events add column free_companion smallint
alter table events add column sign_language text not null default ''
alter table events add column access_note text not null default ''
alter table events add column access_contact text not null default ''
alter table events add column attendance text not null default ''
alter table events add column online_url text not null default ''
alter table events add column online_label text not null default ''
alter table events add column access_words text not null default ''
alter table events add column online_from text not null default ''
alter table events add column online_shown text not null default 'always'
create index events_access on events (id, access_words) where access_words <> ''
create index events_online on events (online_from) where online_from <> ''
alter table users add column deactivated_utc text not null default ''
create table desk_passwords ("user" integer primary key references users (id) on delete cascade, hash text not null, changed_utc text not null)
create table sessions (hash text primary key, "user" integer not null references users (id) on delete cascade, created_utc text not null, seen_utc text not null, client text not null, address text not null)
create index sessions_user on sessions ("user")
create index sessions_seen on sessions (seen_utc)
create table sign_in_links (hash text primary key, "user" integer not null references users (id) on delete cascade, purpose text not null, expires_utc text not null)
create index sign_in_links_user on sign_in_links ("user")
create table unsaved_texts ("user" integer not null references users (id) on delete cascade, kind text not null, record integer not null, version integer not null, "values" text not null, saved_utc text not null, primary key ("user", kind, record))
create index unsaved_texts_time on unsaved_texts (saved_utc)
create table proposals (id integer primary key autoincrement, kind text not null, record integer not null, author integer not null, version integer not null, "values" text not null, note text not null, state text not null, reply text not null, reviewer integer not null, created_utc text not null, changed_utc text not null)
create unique index proposals_open on proposals (kind, record, author) where state in ('waiting', 'sent back')
create index proposals_record on proposals (kind, record, id)
create index proposals_state on proposals (state, changed_utc, id)
create index proposals_author on proposals (author, state, changed_utc, id)
create table bulk_changes (token text primary key, "user" integer not null, records text not null, done_utc text not null)
create index bulk_changes_time on bulk_changes (done_utc)
create index events_pending on events (status, modified_utc, id) where status = 'pending'
create index events_pending_author on events (author, status, modified_utc, id) where status = 'pending'
create index import_items_known on import_items (kind, record)
create index events_lasting on events (status, hide_from_listings, end_date, start_date, author, id) where substr(end_date, 1, 10) > substr(start_date, 1, 10)
create index import_items_of on import_items (kind, record, source)
alter table images add column focal_x double precision
alter table images add column focal_y double precision
create table look_files (name text primary key, content text not null)
alter table events add column image_alt text not null default ''
alter table credentials add column app_id text not null default ''
alter table events add column is_free smallint not null default 0
create index events_free on events (id, is_free) where is_free = 1
create index events_attendance on events (id, attendance) where attendance <> ''
create virtual table stems using fts5 (words, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '=@'")
insert into stems (stems, rank) values ('automerge', 0)
create table unstemmed (doc integer primary key)
create trigger events_added_unstemmed after insert on events begin insert or ignore into unstemmed values (new.id + 0); end
create trigger events_changed_unstemmed after update of search on events when new.search <> old.search begin insert or ignore into unstemmed values (new.id + 0); end
create trigger events_removed_stems after delete on events begin delete from unstemmed where doc = old.id + 0; delete from stems where rowid = old.id + 0; end
create trigger venues_added_unstemmed after insert on venues begin insert or ignore into unstemmed values (new.id + 0); end
create trigger venues_changed_unstemmed after update of venue, city on venues when new.venue <> old.venue or new.city <> old.city begin insert or ignore into unstemmed values (new.id + 0); end
create trigger venues_removed_stems after delete on venues begin delete from unstemmed where doc = old.id + 0; delete from stems where rowid = old.id + 0; end
create trigger organizers_added_unstemmed after insert on organizers begin insert or ignore into unstemmed values (new.id + 0); end
create trigger organizers_changed_unstemmed after update of organizer on organizers when new.organizer <> old.organizer begin insert or ignore into unstemmed values (new.id + 0); end
create trigger organizers_removed_stems after delete on organizers begin delete from unstemmed where doc = old.id + 0; delete from stems where rowid = old.id + 0; end
create trigger terms_added_unstemmed after insert on terms begin insert or ignore into unstemmed values (new.id + 1099511627776); end
create trigger terms_changed_unstemmed after update of name on terms when new.name <> old.name begin insert or ignore into unstemmed values (new.id + 1099511627776); end
create trigger terms_removed_stems after delete on terms begin delete from unstemmed where doc = old.id + 1099511627776; delete from stems where rowid = old.id + 1099511627776; end
alter table events add column image_decorative integer not null default 0
create table named_stems (id integer primary key, stem text not null unique)
create table name_stems (kind text not null, stem text not null, doc integer not null, primary key (kind, stem, doc)) without rowid
create index name_stems_of on name_stems (kind, doc, stem)
create trigger venues_removed_name after delete on venues begin delete from name_stems where kind = 'venue' and doc = old.id; end
create trigger organizers_removed_name after delete on organizers begin delete from name_stems where kind = 'organizer' and doc = old.id; end
create trigger terms_removed_name after delete on terms begin delete from name_stems where kind = 'term' and doc = old.id; end
drop table unsaved_texts
create table unsaved_texts ("user" integer not null references users (id) on delete cascade, kind text not null, record integer not null, form text not null, version integer not null, "values" text not null, saved_utc text not null, primary key ("user", kind, record, form))
create index unsaved_texts_time on unsaved_texts (saved_utc)
insert into migrations ("name") values ('0034-messages-as-of-now')
insert into migrations ("name") values ('0035-parts-of-presented')
insert into migrations ("name") values ('0036-former-values')
insert into migrations ("name") values ('0037-owner-settings')
insert into migrations ("name") values ('0038-facts-of-events')
insert into migrations ("name") values ('0039-sign-in')
insert into migrations ("name") values ('0040-review')
insert into migrations ("name") values ('0041-events-at-the-desk')
insert into migrations ("name") values ('0042-focal-points')
insert into migrations ("name") values ('0043-look-files')
insert into migrations ("name") values ('0044-what-images-show')
insert into migrations ("name") values ('0045-free-events')
insert into migrations ("name") values ('0046-stems')
insert into migrations ("name") values ('0047-decorative-images')
insert into migrations ("name") values ('0048-named-stems')
insert into migrations ("name") values ('0049-stems-of-names')
insert into migrations ("name") values ('0050-forms-of-unsaved-texts')
delete from editions
insert into editions ("edition", "calendar", "held") values ('Uk9MdqFF', 'Uk9MdqFF', 0)
insert into users ("id", "login", "email", "name", "role", "created_utc", "deactivated_utc") values (1, 'admin', 'admin', 'Administrator', 'administrator', '2026-11-29 04:27:42', '')
insert into credentials ("id", "user", "kind", "name", "hash", "created_utc", "scope", "expires_utc", "used_utc", "app_id") values (1, 1, 'password', 'First start', 'hash', '2026-11-29 04:27:42', '', '', '2026-11-29 04:27:43', '')
insert into records ("id", "kind") values (4, 'venue')
insert into records ("id", "kind") values (5, 'venue')
insert into records ("id", "kind") values (6, 'organizer')
insert into records ("id", "kind") values (7, 'event')
insert into records ("id", "kind") values (8, 'venue')
insert into records ("id", "kind") values (9, 'event')
insert into records ("id", "kind") values (10, 'event')
insert into records ("id", "kind") values (11, 'event')
insert into records ("id", "kind") values (12, 'event')
insert into records ("id", "kind") values (13, 'event')
insert into records ("id", "kind") values (14, 'event')
insert into records ("id", "kind") values (15, 'series')
insert into terms ("id", "taxonomy", "name", "slug", "description", "parent", "count", "folded") values (1, 'category', 'Jazz', 'jazz', '', 0, 1, 'jazz')
insert into terms ("id", "taxonomy", "name", "slug", "description", "parent", "count", "folded") values (2, 'category', 'Free jazz', 'free-jazz', '', 1, 0, 'free jazz')
insert into terms ("id", "taxonomy", "name", "slug", "description", "parent", "count", "folded") values (3, 'tag', 'Free entry', 'free-entry', '', 0, 1, 'free entry')
insert into venues ("id", "author", "status", "slug", "date", "date_utc", "modified", "modified_utc", "image", "trusted", "search", "venue", "folded", "description", "excerpt", "show_map", "show_map_link", "address", "city", "country", "province", "state", "zip", "phone", "stateprovince", "website", "geo_lat", "geo_lng", "dated", "step_free", "accessible_toilet", "accessible_parking", "lift", "hearing_loop", "quiet_space", "assistance_dogs") values (4, 1, 'publish', 'town-hall', '2026-11-29 05:27:43', '2026-11-29 04:27:43', '2026-11-29 05:27:43', '2026-11-29 04:27:43', null, 1, 'town hall' || char(10) || 'aldbury', 'Town hall', 'town hall', '', '', 1, 1, '', 'Aldbury', '', '', '', '', '', '', '', 51.8, -0.6, 0, null, null, null, null, null, null, null)
insert into venues ("id", "author", "status", "slug", "date", "date_utc", "modified", "modified_utc", "image", "trusted", "search", "venue", "folded", "description", "excerpt", "show_map", "show_map_link", "address", "city", "country", "province", "state", "zip", "phone", "stateprovince", "website", "geo_lat", "geo_lng", "dated", "step_free", "accessible_toilet", "accessible_parking", "lift", "hearing_loop", "quiet_space", "assistance_dogs") values (5, 1, 'publish', 'garden', '2026-11-29 05:27:43', '2026-11-29 04:27:43', '2026-11-29 05:27:43', '2026-11-29 04:27:43', null, 1, 'garden', 'Garden', 'garden', '', '', 1, 1, '', '', '', '', '', '', '', '', '', null, null, 0, null, null, null, null, null, null, null)
insert into venues ("id", "author", "status", "slug", "date", "date_utc", "modified", "modified_utc", "image", "trusted", "search", "venue", "folded", "description", "excerpt", "show_map", "show_map_link", "address", "city", "country", "province", "state", "zip", "phone", "stateprovince", "website", "geo_lat", "geo_lng", "dated", "step_free", "accessible_toilet", "accessible_parking", "lift", "hearing_loop", "quiet_space", "assistance_dogs") values (8, 1, 'publish', '%d7%a9%d6%b8%d7%81%d7%9c%d7%95%d6%b9%d7%9d', '2026-11-29 05:27:44', '2026-11-29 04:27:44', '2026-11-29 05:27:44', '2026-11-29 04:27:44', null, 1, 'שָׁלוֹם', 'שָׁלוֹם', 'שָׁלוֹם', '', '', 1, 1, '', '', '', '', '', '', '', '', '', null, null, 0, null, null, null, null, null, null, null)
insert into organizers ("id", "author", "status", "slug", "date", "date_utc", "modified", "modified_utc", "image", "trusted", "search", "organizer", "folded", "description", "excerpt", "phone", "website", "email", "dated") values (6, 1, 'publish', 'ann-ohara', '2026-11-29 05:27:43', '2026-11-29 04:27:43', '2026-11-29 05:27:43', '2026-11-29 04:27:43', null, 1, 'ann o''hara' || char(10) || 'ann@example.org', 'Ann O''Hara', 'ann o''hara', '', '', '', '', 'ann@example.org', 0)
insert into series ("id", "author", "status", "title", "slug", "uid", "timezone", "all_day", "start_date", "duration", "rules", "written_until", "shared", "version", "created_utc", "modified_utc") values (15, 1, 'publish', 'Choir', 'choir', 'eb8fbedd-073c-4911-894b-92dc80b27c2f', 'Europe/Berlin', 0, '2026-12-09 19:00:00', 7200, '{"rule":{"frequency":"weekly","interval":1,"count":3,"weekdays":[],"monthdays":[],"months":[],"positions":[],"weekStart":"MO"},"added":[],"left":[]}', '9999-12-31 23:59:59', '{"title":"Choir","description":"","excerpt":"","image_alt":"","image_decorative":0,"website":"","show_map":0,"show_map_link":0,"hide_from_listings":0,"sticky":0,"featured":0,"event_status":"scheduled","event_status_reason":"","captions":null,"audio_description":null,"relaxed":null,"easy_language":null,"free_companion":null,"sign_language":"","access_note":"","access_contact":"","attendance":"","online_url":"","online_label":"","online_shown":"always","cost":"[]","image":null,"author":1,"status":"publish","date":"2026-11-29 05:27:44","date_utc":"2026-11-29 04:27:44","dated":0,"search":"choir\n\n","trusted":1,"venues":[],"organizers":[],"terms":[]}', 1, '2026-11-29 04:27:44', '2026-11-29 04:27:44')
insert into events ("id", "author", "status", "slug", "date", "date_utc", "modified", "modified_utc", "image", "trusted", "search", "title", "description", "excerpt", "start_date", "end_date", "utc_start_date", "utc_end_date", "timezone", "all_day", "cost", "website", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "dated", "uid", "event_status", "event_status_reason", "series", "recurrence_id", "own", "captions", "audio_description", "relaxed", "easy_language", "free_companion", "sign_language", "access_note", "access_contact", "attendance", "online_url", "online_label", "access_words", "online_from", "online_shown", "image_alt", "is_free", "image_decorative") values (7, 1, 'publish', 'evening-of-songs', '2026-11-29 05:27:43', '2026-11-29 04:27:43', '2026-11-29 05:27:43', '2026-11-29 04:27:43', null, 1, 'evening of songs' || char(10) || '' || char(10) || 'uber alles: it''s "quoted"', 'Evening of songs', 'Über <b>alles</b>: it''s "quoted"', '', '2026-12-05 19:30:00', '2026-12-05 22:00:00', '2026-12-05 18:30:00', '2026-12-05 21:00:00', 'Europe/Berlin', 0, '["0"]', '', 0, 0, 0, 0, 0, 0, '01cb2030-1830-4906-af40-72540b305729', 'scheduled', '', null, '', '', null, null, null, null, null, '', '', '', '', '', '', '', '', 'always', '', 1, 0)
insert into events ("id", "author", "status", "slug", "date", "date_utc", "modified", "modified_utc", "image", "trusted", "search", "title", "description", "excerpt", "start_date", "end_date", "utc_start_date", "utc_end_date", "timezone", "all_day", "cost", "website", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "dated", "uid", "event_status", "event_status_reason", "series", "recurrence_id", "own", "captions", "audio_description", "relaxed", "easy_language", "free_companion", "sign_language", "access_note", "access_contact", "attendance", "online_url", "online_label", "access_words", "online_from", "online_shown", "image_alt", "is_free", "image_decorative") values (9, 1, 'publish', '%d9%85%d9%8f%d9%88%d8%b3%d9%90%d9%8a%d9%82%d9%8e%d9%89', '2026-11-29 05:27:44', '2026-11-29 04:27:44', '2026-11-29 05:27:44', '2026-11-29 04:27:44', null, 1, 'مُوسِيقَى' || char(10) || '' || char(10) || '', 'مُوسِيقَى', '', '', '2026-12-06 10:00:00', '2026-12-06 11:00:00', '2026-12-06 09:00:00', '2026-12-06 10:00:00', 'Europe/Berlin', 0, '[]', '', 0, 0, 0, 0, 0, 0, '1ea89320-7002-4007-b9bb-e2b2574cd1e4', 'scheduled', '', null, '', '', null, null, null, null, null, '', '', '', '', '', '', '', '', 'always', '', 0, 0)
insert into events ("id", "author", "status", "slug", "date", "date_utc", "modified", "modified_utc", "image", "trusted", "search", "title", "description", "excerpt", "start_date", "end_date", "utc_start_date", "utc_end_date", "timezone", "all_day", "cost", "website", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "dated", "uid", "event_status", "event_status_reason", "series", "recurrence_id", "own", "captions", "audio_description", "relaxed", "easy_language", "free_companion", "sign_language", "access_note", "access_contact", "attendance", "online_url", "online_label", "access_words", "online_from", "online_shown", "image_alt", "is_free", "image_decorative") values (10, 1, 'draft', '', '2026-11-29 05:27:44', '0000-00-00 00:00:00', '2026-11-29 05:27:44', '2026-11-29 04:27:44', null, 1, 'a draft' || char(10) || '' || char(10) || '', 'A draft', '', '', '2026-12-07 10:00:00', '2026-12-07 11:00:00', '2026-12-07 09:00:00', '2026-12-07 10:00:00', 'Europe/Berlin', 0, '[]', '', 0, 0, 0, 0, 0, 0, 'ef36c17c-9f54-41d1-8927-7ccf1fbfd94a', 'scheduled', '', null, '', '', null, null, null, null, null, '', '', '', '', '', '', '', '', 'always', '', 0, 0)
insert into events ("id", "author", "status", "slug", "date", "date_utc", "modified", "modified_utc", "image", "trusted", "search", "title", "description", "excerpt", "start_date", "end_date", "utc_start_date", "utc_end_date", "timezone", "all_day", "cost", "website", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "dated", "uid", "event_status", "event_status_reason", "series", "recurrence_id", "own", "captions", "audio_description", "relaxed", "easy_language", "free_companion", "sign_language", "access_note", "access_contact", "attendance", "online_url", "online_label", "access_words", "online_from", "online_shown", "image_alt", "is_free", "image_decorative") values (11, 1, 'trash', 'canceled-walk__trashed', '2026-11-29 05:27:44', '2026-11-29 04:27:44', '2026-11-29 05:27:44', '2026-11-29 04:27:44', null, 1, 'canceled walk' || char(10) || '' || char(10) || '', 'Canceled walk', '', '', '2026-12-08 10:00:00', '2026-12-08 11:00:00', '2026-12-08 09:00:00', '2026-12-08 10:00:00', 'Europe/Berlin', 0, '[]', '', 0, 0, 0, 0, 0, 0, '0afb6c27-56c5-40b5-b8cf-a55808c4c1eb', 'scheduled', '', null, '', '', null, null, null, null, null, '', '', '', '', '', '', '', '', 'always', '', 0, 0)
insert into events ("id", "author", "status", "slug", "date", "date_utc", "modified", "modified_utc", "image", "trusted", "search", "title", "description", "excerpt", "start_date", "end_date", "utc_start_date", "utc_end_date", "timezone", "all_day", "cost", "website", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "dated", "uid", "event_status", "event_status_reason", "series", "recurrence_id", "own", "captions", "audio_description", "relaxed", "easy_language", "free_companion", "sign_language", "access_note", "access_contact", "attendance", "online_url", "online_label", "access_words", "online_from", "online_shown", "image_alt", "is_free", "image_decorative") values (12, 1, 'publish', 'choir-2026-12-09', '2026-11-29 05:27:44', '2026-11-29 04:27:44', '2026-11-29 05:27:44', '2026-11-29 04:27:44', null, 1, 'choir' || char(10) || '' || char(10) || '', 'Choir', '', '', '2026-12-09 19:00:00', '2026-12-09 21:00:00', '2026-12-09 18:00:00', '2026-12-09 20:00:00', 'Europe/Berlin', 0, '[]', '', 0, 0, 0, 0, 0, 0, 'eb8fbedd-073c-4911-894b-92dc80b27c2f', 'scheduled', '', 15, '2026-12-09 19:00:00', '', null, null, null, null, null, '', '', '', '', '', '', '', '', 'always', '', 0, 0)
insert into events ("id", "author", "status", "slug", "date", "date_utc", "modified", "modified_utc", "image", "trusted", "search", "title", "description", "excerpt", "start_date", "end_date", "utc_start_date", "utc_end_date", "timezone", "all_day", "cost", "website", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "dated", "uid", "event_status", "event_status_reason", "series", "recurrence_id", "own", "captions", "audio_description", "relaxed", "easy_language", "free_companion", "sign_language", "access_note", "access_contact", "attendance", "online_url", "online_label", "access_words", "online_from", "online_shown", "image_alt", "is_free", "image_decorative") values (13, 1, 'publish', 'choir-2026-12-16', '2026-11-29 05:27:44', '2026-11-29 04:27:44', '2026-11-29 05:27:44', '2026-11-29 04:27:44', null, 1, 'choir' || char(10) || '' || char(10) || '', 'Choir', '', '', '2026-12-16 19:00:00', '2026-12-16 21:00:00', '2026-12-16 18:00:00', '2026-12-16 20:00:00', 'Europe/Berlin', 0, '[]', '', 0, 0, 0, 0, 0, 0, '4d29a06a-8bfa-4ff3-9701-b7f5f2dc7ebc', 'scheduled', '', 15, '2026-12-16 19:00:00', '', null, null, null, null, null, '', '', '', '', '', '', '', '', 'always', '', 0, 0)
insert into events ("id", "author", "status", "slug", "date", "date_utc", "modified", "modified_utc", "image", "trusted", "search", "title", "description", "excerpt", "start_date", "end_date", "utc_start_date", "utc_end_date", "timezone", "all_day", "cost", "website", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "dated", "uid", "event_status", "event_status_reason", "series", "recurrence_id", "own", "captions", "audio_description", "relaxed", "easy_language", "free_companion", "sign_language", "access_note", "access_contact", "attendance", "online_url", "online_label", "access_words", "online_from", "online_shown", "image_alt", "is_free", "image_decorative") values (14, 1, 'publish', 'choir-2026-12-23', '2026-11-29 05:27:44', '2026-11-29 04:27:44', '2026-11-29 05:27:44', '2026-11-29 04:27:44', null, 1, 'choir' || char(10) || '' || char(10) || '', 'Choir', '', '', '2026-12-23 19:00:00', '2026-12-23 21:00:00', '2026-12-23 18:00:00', '2026-12-23 20:00:00', 'Europe/Berlin', 0, '[]', '', 0, 0, 0, 0, 0, 0, '89c5fab1-139a-4ec5-8b01-f22bd57da7d9', 'scheduled', '', 15, '2026-12-23 19:00:00', '', null, null, null, null, null, '', '', '', '', '', '', '', '', 'always', '', 0, 0)
insert into event_venues ("event", "venue", "position") values (7, 4, 0)
insert into event_venues ("event", "venue", "position") values (7, 5, 1)
insert into event_venues ("event", "venue", "position") values (9, 8, 0)
insert into event_organizers ("event", "organizer", "position") values (7, 6, 0)
insert into event_terms ("event", "term") values (7, 1)
insert into event_terms ("event", "term") values (7, 3)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('count', 1, 6, 218089663, 1, 1, 0, '2026-11-29 04:27:43', 1, 218089663)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('count', 3, 6, 218089663, 1, 1, 0, '2026-11-29 04:27:43', 1, 218089663)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('event', 7, 6, 218089663, 0, 1, 0, '2026-11-29 04:27:43', 1, 218089663)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('event', 9, 7, 218089664, 0, 1, 0, '2026-11-29 04:27:44', 1, 218089664)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('event', 10, 8, 218089664, 0, 0, 0, '2026-11-29 04:27:44', 1, 218089664)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('event', 11, 10, 218089665, 1, 0, 0, '2026-11-29 04:27:44', 1, 218089664)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('event', 12, 11, 218089664, 0, 1, 0, '2026-11-29 04:27:44', 1, 218089664)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('event', 13, 11, 218089664, 0, 1, 0, '2026-11-29 04:27:44', 1, 218089664)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('event', 14, 11, 218089664, 0, 1, 0, '2026-11-29 04:27:44', 1, 218089664)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('organizer', 6, 6, 218089663, 0, 1, 0, '2026-11-29 04:27:43', 1, 218089663)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('series', 15, 11, 218089664, 0, 1, 0, '2026-11-29 04:27:44', 1, 218089664)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('term', 1, 4, 218089663, 0, 1, 0, '2026-11-29 04:27:43', 1, 218089663)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('term', 2, 5, 218089663, 0, 1, 0, '2026-11-29 04:27:43', 1, 218089663)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('term', 3, 6, 218089663, 0, 1, 0, '2026-11-29 04:27:43', 1, 218089663)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('user', 1, 3, 218089664, 0, 0, 0, '2026-11-29 04:27:42', 0, 218089662)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('venue', 4, 6, 218089663, 0, 1, 0, '2026-11-29 04:27:43', 1, 218089663)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('venue', 5, 6, 218089663, 0, 1, 0, '2026-11-29 04:27:43', 1, 218089663)
insert into changes ("kind", "record", "position", "sequence", "was_public", "is_public", "deleted", "changed_utc", "user", "known_from") values ('venue', 8, 7, 218089664, 0, 1, 0, '2026-11-29 04:27:44', 1, 218089664)
delete from changes_dropped
insert into changes_dropped ("before") values (0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (1, '2026-11-29 04:27:42', 0, '', 'create', 'user', 1, 'admin', '', 'first start', '', 218089662, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (2, '2026-11-29 04:27:42', 0, '', 'grant', 'user', 1, 'admin: First start', '', 'first start', '', 218089663, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (3, '2026-11-29 04:27:42', 0, '', 'grant', 'user', 1, 'admin: link', '', 'first start', '', 218089664, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (4, '2026-11-29 04:27:43', 1, 'admin', 'create', 'term', 1, 'Jazz', '127.0.0.1', 'node', '28b58g6K-1', 218089663, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (5, '2026-11-29 04:27:43', 1, 'admin', 'create', 'term', 2, 'Free jazz', '127.0.0.1', 'node', '28b58g6K-2', 218089663, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (6, '2026-11-29 04:27:43', 1, 'admin', 'create', 'venue', 4, 'Town hall', '127.0.0.1', 'node', '28b58g6K-3', 218089663, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (7, '2026-11-29 04:27:43', 1, 'admin', 'create', 'venue', 5, 'Garden', '127.0.0.1', 'node', '28b58g6K-3', 218089663, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (8, '2026-11-29 04:27:43', 1, 'admin', 'create', 'organizer', 6, 'Ann O''Hara', '127.0.0.1', 'node', '28b58g6K-3', 218089663, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (9, '2026-11-29 04:27:43', 1, 'admin', 'create', 'term', 3, 'Free entry', '127.0.0.1', 'node', '28b58g6K-3', 218089663, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (10, '2026-11-29 04:27:43', 1, 'admin', 'create', 'event', 7, 'Evening of songs', '127.0.0.1', 'node', '28b58g6K-3', 218089663, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (11, '2026-11-29 04:27:44', 1, 'admin', 'create', 'venue', 8, 'שָׁלוֹם', '127.0.0.1', 'node', '28b58g6K-4', 218089664, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (12, '2026-11-29 04:27:44', 1, 'admin', 'create', 'event', 9, 'مُوسِيقَى', '127.0.0.1', 'node', '28b58g6K-4', 218089664, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (13, '2026-11-29 04:27:44', 1, 'admin', 'create', 'event', 10, 'A draft', '127.0.0.1', 'node', '28b58g6K-5', 218089664, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (14, '2026-11-29 04:27:44', 1, 'admin', 'create', 'event', 11, 'Canceled walk', '127.0.0.1', 'node', '28b58g6K-6', 218089664, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (15, '2026-11-29 04:27:44', 1, 'admin', 'trash', 'event', 11, 'Canceled walk', '127.0.0.1', 'node', '28b58g6K-7', 218089665, '{"status":"publish","slug":"canceled-walk"}', 43)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (16, '2026-11-29 04:27:44', 1, 'admin', 'create', 'series', 15, 'Choir', '127.0.0.1', 'node', '28b58g6K-8', 218089664, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (17, '2026-11-29 04:27:44', 1, 'admin', 'create', 'event', 12, 'Choir', '127.0.0.1', 'node', '28b58g6K-8', 218089664, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (18, '2026-11-29 04:27:44', 1, 'admin', 'create', 'event', 13, 'Choir', '127.0.0.1', 'node', '28b58g6K-8', 218089664, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (19, '2026-11-29 04:27:44', 1, 'admin', 'create', 'event', 14, 'Choir', '127.0.0.1', 'node', '28b58g6K-8', 218089664, '', 0)
insert into history ("id", "time_utc", "user", "login", "action", "kind", "record", "name", "address", "client", "request", "sequence", "former", "former_bytes") values (20, '2026-11-29 04:27:44', 1, 'admin', 'create', 'webhook', 1, 'hooks.example.org', '127.0.0.1', 'node', '28b58g6K-9', 0, '', 0)
insert into old_slugs ("kind", "slug", "record", "left_utc") values ('event', 'canceled-walk', 11, '2026-11-29T04:27:44.268Z')
insert into withdrawn_events ("event", "uid", "title", "start_date", "end_date", "utc_start_date", "utc_end_date", "timezone", "all_day", "featured", "event_status", "venues", "organizers", "terms", "withdrawn_utc", "kept") values (11, '0afb6c27-56c5-40b5-b8cf-a55808c4c1eb', 'Canceled walk', '2026-12-08 10:00:00', '2026-12-08 11:00:00', '2026-12-08 09:00:00', '2026-12-08 10:00:00', 'Europe/Berlin', 0, 0, 'scheduled', '[]', '[]', '[]', '2026-11-29 04:27:44', '{"id":11,"author":1,"status":"publish","slug":"canceled-walk","date":"2026-11-29 05:27:44","date_utc":"2026-11-29 04:27:44","modified":"2026-11-29 05:27:44","modified_utc":"2026-11-29 04:27:44","image":null,"trusted":1,"start_date":"2026-12-08 10:00:00","end_date":"2026-12-08 11:00:00","utc_start_date":"2026-12-08 09:00:00","utc_end_date":"2026-12-08 10:00:00","timezone":"Europe/Berlin","all_day":0,"cost":"[]","website":"","show_map":0,"show_map_link":0,"hide_from_listings":0,"sticky":0,"featured":0,"dated":0,"uid":"0afb6c27-56c5-40b5-b8cf-a55808c4c1eb","event_status":"scheduled","series":null,"recurrence_id":"","own":"","captions":null,"audio_description":null,"relaxed":null,"easy_language":null,"free_companion":null,"sign_language":"","attendance":"","access_words":"","online_from":"","online_shown":"always","is_free":0,"image_decorative":0}')
insert into webhooks ("id", "url", "events", "is_private", "secret", "old_secret", "old_secret_until_utc", "created_utc", "failing_since_utc", "disabled_utc", "disabled_why") values (1, 'https://hooks.example.org/', 'event.created', 0, 'secret', '', '', '2026-11-29 04:27:44', '', '', '')
insert into presented_records ("record", "form", "image", "members", "image_at", "rare") values (7, '6mhWGnuSXC', null, '{"id":7,"global_id":"localhost?id=7","global_id_lineage":["localhost?id=7"],"author":"1","status":"publish","date":"2026-11-29 05:27:43","date_utc":"2026-11-29 04:27:43","modified":"2026-11-29 05:27:43","modified_utc":"2026-11-29 04:27:43","url":"http://localhost:8210/event/evening-of-songs/","rest_url":"http://localhost:8210/wp-json/tribe/events/v1/events/7","title":"Evening of songs","description":"<p>Über <b>alles</b>: it''s \"quoted\"</p>","excerpt":"","slug":"evening-of-songs","image":false,"all_day":false,"start_date":"2026-12-05 19:30:00","start_date_details":{"year":"2026","month":"12","day":"05","hour":"19","minutes":"30","seconds":"00"},"end_date":"2026-12-05 22:00:00","end_date_details":{"year":"2026","month":"12","day":"05","hour":"22","minutes":"00","seconds":"00"},"utc_start_date":"2026-12-05 18:30:00","utc_start_date_details":{"year":"2026","month":"12","day":"05","hour":"18","minutes":"30","seconds":"00"},"utc_end_date":"2026-12-05 21:00:00","utc_end_date_details":{"year":"2026","month":"12","day":"05","hour":"21","minutes":"00","seconds":"00"},"timezone":"Europe/Berlin","timezone_abbr":"CET","cost":"Free","cost_details":{"currency_symbol":"","currency_code":"","currency_position":"","values":["0"]},"website":"http://localhost:8210/event/evening-of-songs/","show_map":false,"show_map_link":false,"hide_from_listings":false,"sticky":false,"featured":false}', 494, '')
insert into presented_records ("record", "form", "image", "members", "image_at", "rare") values (9, '6mhWGnuSXC', null, '{"id":9,"global_id":"localhost?id=9","global_id_lineage":["localhost?id=9"],"author":"1","status":"publish","date":"2026-11-29 05:27:44","date_utc":"2026-11-29 04:27:44","modified":"2026-11-29 05:27:44","modified_utc":"2026-11-29 04:27:44","url":"http://localhost:8210/event/%d9%85%d9%8f%d9%88%d8%b3%d9%90%d9%8a%d9%82%d9%8e%d9%89/","rest_url":"http://localhost:8210/wp-json/tribe/events/v1/events/9","title":"مُوسِيقَى","description":"","excerpt":"","slug":"%d9%85%d9%8f%d9%88%d8%b3%d9%90%d9%8a%d9%82%d9%8e%d9%89","image":false,"all_day":false,"start_date":"2026-12-06 10:00:00","start_date_details":{"year":"2026","month":"12","day":"06","hour":"10","minutes":"00","seconds":"00"},"end_date":"2026-12-06 11:00:00","end_date_details":{"year":"2026","month":"12","day":"06","hour":"11","minutes":"00","seconds":"00"},"utc_start_date":"2026-12-06 09:00:00","utc_start_date_details":{"year":"2026","month":"12","day":"06","hour":"09","minutes":"00","seconds":"00"},"utc_end_date":"2026-12-06 10:00:00","utc_end_date_details":{"year":"2026","month":"12","day":"06","hour":"10","minutes":"00","seconds":"00"},"timezone":"Europe/Berlin","timezone_abbr":"CET","cost":"","cost_details":{"currency_symbol":"","currency_code":"","currency_position":"","values":[]},"website":"http://localhost:8210/event/%d9%85%d9%8f%d9%88%d8%b3%d9%90%d9%8a%d9%82%d9%8e%d9%89/","show_map":false,"show_map_link":false,"hide_from_listings":false,"sticky":false,"featured":false}', 522, '')
insert into presented_records ("record", "form", "image", "members", "image_at", "rare") values (11, '6mhWGnuSXC', null, '{"id":11,"global_id":"localhost?id=11","global_id_lineage":["localhost?id=11"],"author":"1","status":"publish","date":"2026-11-29 05:27:44","date_utc":"2026-11-29 04:27:44","modified":"2026-11-29 05:27:44","modified_utc":"2026-11-29 04:27:44","url":"http://localhost:8210/event/canceled-walk/","rest_url":"http://localhost:8210/wp-json/tribe/events/v1/events/11","title":"Canceled walk","description":"","excerpt":"","slug":"canceled-walk","image":false,"all_day":false,"start_date":"2026-12-08 10:00:00","start_date_details":{"year":"2026","month":"12","day":"08","hour":"10","minutes":"00","seconds":"00"},"end_date":"2026-12-08 11:00:00","end_date_details":{"year":"2026","month":"12","day":"08","hour":"11","minutes":"00","seconds":"00"},"utc_start_date":"2026-12-08 09:00:00","utc_start_date_details":{"year":"2026","month":"12","day":"08","hour":"09","minutes":"00","seconds":"00"},"utc_end_date":"2026-12-08 10:00:00","utc_end_date_details":{"year":"2026","month":"12","day":"08","hour":"10","minutes":"00","seconds":"00"},"timezone":"Europe/Berlin","timezone_abbr":"CET","cost":"","cost_details":{"currency_symbol":"","currency_code":"","currency_position":"","values":[]},"website":"http://localhost:8210/event/canceled-walk/","show_map":false,"show_map_link":false,"hide_from_listings":false,"sticky":false,"featured":false}', 448, '')
insert into presented_records ("record", "form", "image", "members", "image_at", "rare") values (12, '6mhWGnuSXC', null, '{"id":12,"global_id":"localhost?id=12","global_id_lineage":["localhost?id=12"],"author":"1","status":"publish","date":"2026-11-29 05:27:44","date_utc":"2026-11-29 04:27:44","modified":"2026-11-29 05:27:44","modified_utc":"2026-11-29 04:27:44","url":"http://localhost:8210/event/choir-2026-12-09/","rest_url":"http://localhost:8210/wp-json/tribe/events/v1/events/12","title":"Choir","description":"","excerpt":"","slug":"choir-2026-12-09","image":false,"all_day":false,"start_date":"2026-12-09 19:00:00","start_date_details":{"year":"2026","month":"12","day":"09","hour":"19","minutes":"00","seconds":"00"},"end_date":"2026-12-09 21:00:00","end_date_details":{"year":"2026","month":"12","day":"09","hour":"21","minutes":"00","seconds":"00"},"utc_start_date":"2026-12-09 18:00:00","utc_start_date_details":{"year":"2026","month":"12","day":"09","hour":"18","minutes":"00","seconds":"00"},"utc_end_date":"2026-12-09 20:00:00","utc_end_date_details":{"year":"2026","month":"12","day":"09","hour":"20","minutes":"00","seconds":"00"},"timezone":"Europe/Berlin","timezone_abbr":"CET","cost":"","cost_details":{"currency_symbol":"","currency_code":"","currency_position":"","values":[]},"website":"http://localhost:8210/event/choir-2026-12-09/","show_map":false,"show_map_link":false,"hide_from_listings":false,"sticky":false,"featured":false}', 446, '')
delete from sqlite_sequence where name = 'history'
insert into sqlite_sequence (name, seq) values ('history', 20)
delete from sqlite_sequence where name = 'records'
insert into sqlite_sequence (name, seq) values ('records', 15)
delete from sqlite_sequence where name = 'terms'
insert into sqlite_sequence (name, seq) values ('terms', 3)
delete from sqlite_sequence where name = 'users'
insert into sqlite_sequence (name, seq) values ('users', 1)
delete from sqlite_sequence where name = 'webhooks'
insert into sqlite_sequence (name, seq) values ('webhooks', 1)
delete from sqlite_sequence where name = 'credentials'
insert into sqlite_sequence (name, seq) values ('credentials', 1)
