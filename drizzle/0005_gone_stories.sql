-- What stories said when they went, as far as a verdict on another said the same: with them it is not
-- certain which of them a story is that says it later.
create table gone_stories (
  seq integer primary key,
  project_id text not null references projects (id),
  story_id text not null,
  fingerprint text not null,
  revision integer not null,
  at integer not null
) strict;
create index gone_stories_project on gone_stories (project_id, fingerprint);
