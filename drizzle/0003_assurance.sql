-- What people lay over a revision (edits and additions of stories), how stories are traced and
-- justified, and what was found of them. Scenarios and routes of the sources are a content too.
alter table revisions add column catalog_sha256 text;
alter table revisions add column catalog_bytes integer;
create index revisions_catalog on revisions (catalog_sha256) where catalog_sha256 is not null;

create table story_edits (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  story_id text not null,
  set_fields text not null,
  base text not null,
  reason text,
  state text not null check (state in ('proposed', 'accepted', 'rejected', 'withdrawn', 'superseded', 'absorbed', 'conflicted')),
  base_fingerprint text not null,
  author_token text not null,
  author_label text,
  decided_at integer,
  decided_token text,
  decided_label text,
  version integer not null default 1,
  created_at integer not null,
  updated_at integer not null
) strict;
create index story_edits_story on story_edits (project_id, story_id);
create index story_edits_state on story_edits (project_id, state);

create table story_additions (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  story_id text not null,
  parent_id text,
  kind text not null check (kind in ('requirement', 'story')),
  title text not null,
  statement text not null,
  acceptance text not null,
  links text not null,
  reason text,
  state text not null check (state in ('proposed', 'active', 'absorbed', 'deleted')),
  differs text,
  author_token text not null,
  author_label text,
  decided_at integer,
  decided_token text,
  decided_label text,
  version integer not null default 1,
  created_at integer not null,
  updated_at integer not null
) strict;
create index story_additions_story on story_additions (project_id, story_id);
create unique index story_additions_open on story_additions (project_id, story_id) where state in ('proposed', 'active');

-- Every move of an edit or addition.
create table overlay_changes (
  seq integer primary key,
  project_id text not null references projects (id),
  overlay_id text not null,
  story_id text not null,
  event text not null,
  from_state text,
  to_state text not null,
  revision integer not null,
  detail text,
  actor_token text,
  actor_label text,
  at integer not null
) strict;
create index overlay_changes_story on overlay_changes (project_id, story_id);

create table traces (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  story_id text not null,
  type text not null check (type in ('verifies', 'implements', 'affects', 'satisfies')),
  target_kind text not null check (target_kind in ('scenario', 'test', 'command', 'route', 'issue', 'commit', 'file', 'document')),
  target_id text not null,
  origin text not null check (origin in ('declared', 'tag', 'import')),
  fingerprint text not null,
  note text,
  author_token text,
  author_label text,
  reviewed_at integer,
  reviewed_token text,
  reviewed_label text,
  version integer not null default 1,
  created_at integer not null
) strict;
create unique index traces_link on traces (project_id, story_id, type, target_kind, target_id);
create index traces_target on traces (project_id, target_kind, target_id);

create table justifications (
  seq integer primary key,
  project_id text not null references projects (id),
  story_id text not null,
  need text not null check (need in ('scenario', 'test')),
  reason text not null,
  author_token text not null,
  author_label text,
  created_at integer not null
) strict;
create unique index justifications_need on justifications (project_id, story_id, need);

create table validations (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  story_id text not null,
  verdict text not null check (verdict in ('passed', 'failed', 'blocked', 'inconclusive')),
  method text not null check (method in ('test', 'inspection', 'analysis', 'demonstration')),
  evidence text,
  tests text not null,
  by_kind text not null check (by_kind in ('person', 'system')),
  by_token text,
  by_label text,
  at integer not null,
  revision integer not null,
  fingerprint text not null,
  deep_fingerprint text not null,
  transferred_from text,
  note text,
  created_at integer not null
) strict;
create index validations_story on validations (project_id, story_id, seq);
create index validations_revision on validations (project_id, revision);
create index validations_newest on validations (project_id, seq);

-- Which issues name which stories.
create table issue_stories (
  seq integer primary key,
  project_id text not null references projects (id),
  story_id text not null,
  issue_id text not null references issues (id)
) strict;
create unique index issue_stories_story on issue_stories (project_id, story_id, issue_id);
create index issue_stories_issue on issue_stories (issue_id);
insert or ignore into issue_stories (project_id, story_id, issue_id)
  select issues.project_id, named.value, issues.id from issues, json_each(issues.story_ids) as named;
