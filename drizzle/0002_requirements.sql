-- Revisions of a project's requirements. Their sources, graphs and audits are contents of the file
-- store, by SHA-256.
create table revisions (
  seq integer primary key,
  project_id text not null references projects (id),
  number integer not null,
  graph_sha256 text not null,
  graph_bytes integer not null,
  audit_sha256 text not null,
  audit_bytes integer not null,
  source_set text not null,
  nodes integer not null,
  edges integer not null,
  errors integer not null,
  warnings integer not null,
  author_token text not null,
  author_label text,
  created_at integer not null
) strict;
create unique index revisions_number on revisions (project_id, number);
create index revisions_graph on revisions (graph_sha256);
create index revisions_audit on revisions (audit_sha256);

create table revision_sources (
  seq integer primary key,
  revision_seq integer not null references revisions (seq),
  path text not null,
  format text,
  status text not null,
  items integer not null,
  sha256 text not null,
  bytes integer not null
) strict;
create unique index revision_sources_path on revision_sources (revision_seq, path);
create index revision_sources_content on revision_sources (sha256);
