-- Runs that are settled, and after which the service has yet to judge their stories: a process that
-- dies in between is to do so at its next start, and for no other run.
create table unjudged_runs (
  batch integer primary key,
  project_id text not null references projects (id)
) strict;
