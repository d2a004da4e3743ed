-- Projects and the tokens that act in them.
create table projects (
  seq integer primary key,
  id text not null unique,
  slug text not null unique,
  name text not null,
  description text not null,
  settings text not null,
  revision integer not null default 0,
  version integer not null default 1,
  created_at integer not null,
  updated_at integer not null
) strict;

create table tokens (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  secret_hash text not null,
  capabilities text not null,
  label text,
  instance integer not null default 0,
  expires_at integer,
  created_at integer not null,
  revoked_at integer,
  last_used_at integer
) strict;
create index tokens_project on tokens (project_id, seq);

-- First answers to requests that carried an Idempotency-Key, sealed under the caller's secret.
create table idempotency_keys (
  scope text not null,
  key text not null,
  request_hash text not null,
  sealed blob not null,
  created_at integer not null,
  primary key (scope, key)
) strict, without rowid;
create index idempotency_keys_age on idempotency_keys (created_at);

-- Facts of the whole instance, such as the last good backup.
create table instance (
  name text primary key,
  value text not null
) strict, without rowid;

create table issues (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  number integer not null,
  title text not null,
  description text,
  severity text not null,
  priority text,
  status text not null,
  resolution text,
  duplicate_of text,
  story_ids text not null,
  labels text not null,
  assignee text,
  reporter text,
  url text,
  route text,
  build text,
  environment text,
  context text,
  run_id text,
  occurred_at integer not null,
  resolved_at integer,
  fixed_in_build text,
  fingerprint text,
  occurrences integer not null default 1,
  possible_regression integer not null default 0,
  author_token text not null,
  author_label text,
  from_widget integer not null default 0,
  version integer not null default 1,
  created_at integer not null,
  updated_at integer not null
) strict;
create unique index issues_number on issues (project_id, number);
create index issues_status on issues (project_id, status, number);
create index issues_fingerprint on issues (project_id, fingerprint, seq) where fingerprint is not null;
create index issues_duplicates on issues (duplicate_of, seq) where duplicate_of is not null;
create index issues_originals on issues (project_id, number) where duplicate_of is null;

create table issue_changes (
  seq integer primary key,
  issue_id text not null references issues (id),
  at integer not null,
  by_token text not null,
  by_label text,
  event text not null,
  changes text not null
) strict;
create index issue_changes_issue on issue_changes (issue_id, seq);

create table attachments (
  seq integer primary key,
  id text not null unique,
  key text not null unique,
  project_id text not null references projects (id),
  issue_id text not null references issues (id),
  name text not null,
  kind text not null,
  note text,
  media_type text not null,
  bytes integer not null,
  sha256 text not null,
  author_token text not null,
  author_label text,
  created_at integer not null
) strict;
create index attachments_issue on attachments (issue_id, seq);
create index attachments_content on attachments (sha256);
create index attachments_project on attachments (project_id, bytes);

create table log_entries (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  at integer not null,
  level text not null,
  source text,
  message text not null,
  fields text,
  route text,
  run_id text,
  issue_id text,
  fingerprint text not null,
  state text not null default 'open',
  note text,
  author_token text,
  version integer not null default 1,
  created_at integer not null
) strict;
create index log_entries_project on log_entries (project_id, seq);
create index log_entries_level on log_entries (project_id, level, seq);
create index log_entries_state on log_entries (project_id, state, seq) where state <> 'open';
create index log_entries_fingerprint on log_entries (project_id, fingerprint, seq);
create index log_entries_age on log_entries (project_id, created_at);

create table log_groups (
  seq integer primary key,
  project_id text not null references projects (id),
  fingerprint text not null,
  level text not null,
  source text,
  message text not null,
  occurrences integer not null,
  first_at integer not null,
  last_at integer not null,
  last_seq integer not null,
  unique (project_id, fingerprint)
) strict;
create index log_groups_latest on log_groups (project_id, last_seq);

-- Full text. The column "scope" holds tokens of project and state, so that a search is cut to
-- them inside the index. The tables keep no copy of the text.
create virtual table issues_text using fts5 (
  title, description, scope,
  content = '', contentless_delete = 1, prefix = '2 3 4',
  tokenize = 'unicode61 remove_diacritics 2'
);
create virtual table log_entries_text using fts5 (
  message, details, scope,
  content = '', contentless_delete = 1, prefix = '3 4',
  tokenize = 'unicode61 remove_diacritics 2'
);
