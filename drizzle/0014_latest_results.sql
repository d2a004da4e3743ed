-- What content a project has: counters that its reader compares, each raised in the write that changes
-- what it counts. What is cached of a project is as good as the counters that it was made under.
create table content_versions (
  project_id text primary key references projects (id),
  -- The revision, the settings, edits and additions.
  graph integer not null default 0,
  -- Traces and justifications.
  links integer not null default 0,
  verdicts integer not null default 0,
  commands integer not null default 0,
  scenarios integer not null default 0,
  -- Runs that were settled, and what is learned of their commands.
  results integer not null default 0,
  -- Runs that were taken away.
  expired integer not null default 0,
  -- Issues that concern stories.
  issues integer not null default 0
) strict, without rowid;
insert into content_versions (project_id) select id from projects;

create trigger projects_content after update of revision, settings on projects begin
  insert into content_versions (project_id, graph) values (new.id, 1)
    on conflict (project_id) do update set graph = graph + 1;
end;
create trigger story_edits_insert_content after insert on story_edits begin
  insert into content_versions (project_id, graph) values (new.project_id, 1)
    on conflict (project_id) do update set graph = graph + 1;
end;
create trigger story_edits_update_content after update on story_edits begin
  insert into content_versions (project_id, graph) values (new.project_id, 1)
    on conflict (project_id) do update set graph = graph + 1;
end;
create trigger story_additions_insert_content after insert on story_additions begin
  insert into content_versions (project_id, graph) values (new.project_id, 1)
    on conflict (project_id) do update set graph = graph + 1;
end;
create trigger story_additions_update_content after update on story_additions begin
  insert into content_versions (project_id, graph) values (new.project_id, 1)
    on conflict (project_id) do update set graph = graph + 1;
end;
create trigger overlay_changes_insert_content after insert on overlay_changes begin
  insert into content_versions (project_id, graph) values (new.project_id, 1)
    on conflict (project_id) do update set graph = graph + 1;
end;
create trigger traces_insert_content after insert on traces begin
  insert into content_versions (project_id, links) values (new.project_id, 1)
    on conflict (project_id) do update set links = links + 1;
end;
create trigger traces_update_content after update on traces begin
  insert into content_versions (project_id, links) values (new.project_id, 1)
    on conflict (project_id) do update set links = links + 1;
end;
create trigger traces_delete_content after delete on traces begin
  insert into content_versions (project_id, links) values (old.project_id, 1)
    on conflict (project_id) do update set links = links + 1;
end;
create trigger justifications_insert_content after insert on justifications begin
  insert into content_versions (project_id, links) values (new.project_id, 1)
    on conflict (project_id) do update set links = links + 1;
end;
create trigger justifications_update_content after update on justifications begin
  insert into content_versions (project_id, links) values (new.project_id, 1)
    on conflict (project_id) do update set links = links + 1;
end;
create trigger justifications_delete_content after delete on justifications begin
  insert into content_versions (project_id, links) values (old.project_id, 1)
    on conflict (project_id) do update set links = links + 1;
end;
create trigger validations_insert_content after insert on validations begin
  insert into content_versions (project_id, verdicts) values (new.project_id, 1)
    on conflict (project_id) do update set verdicts = verdicts + 1;
end;
create trigger test_commands_insert_content after insert on test_commands begin
  insert into content_versions (project_id, commands) values (new.project_id, 1)
    on conflict (project_id) do update set commands = commands + 1;
end;
create trigger test_commands_update_content after update on test_commands begin
  insert into content_versions (project_id, commands) values (new.project_id, 1)
    on conflict (project_id) do update set commands = commands + 1;
end;
create trigger test_commands_delete_content after delete on test_commands begin
  insert into content_versions (project_id, commands) values (old.project_id, 1)
    on conflict (project_id) do update set commands = commands + 1;
end;
create trigger scenarios_insert_content after insert on scenarios begin
  insert into content_versions (project_id, scenarios) values (new.project_id, 1)
    on conflict (project_id) do update set scenarios = scenarios + 1;
end;
create trigger scenarios_update_content after update on scenarios begin
  insert into content_versions (project_id, scenarios) values (new.project_id, 1)
    on conflict (project_id) do update set scenarios = scenarios + 1;
end;
create trigger scenarios_delete_content after delete on scenarios begin
  insert into content_versions (project_id, scenarios) values (old.project_id, 1)
    on conflict (project_id) do update set scenarios = scenarios + 1;
end;
create trigger command_stats_insert_content after insert on command_stats begin
  insert into content_versions (project_id, results) values (new.project_id, 1)
    on conflict (project_id) do update set results = results + 1;
end;
create trigger command_stats_update_content after update on command_stats begin
  insert into content_versions (project_id, results) values (new.project_id, 1)
    on conflict (project_id) do update set results = results + 1;
end;
create trigger run_batches_delete_content after delete on run_batches begin
  insert into content_versions (project_id, results) values (old.project_id, 1)
    on conflict (project_id) do update set results = results + 1;
end;
create trigger test_runs_delete_content after delete on test_runs begin
  insert into content_versions (project_id, expired) values (old.project_id, 1)
    on conflict (project_id) do update set expired = expired + 1;
end;
create trigger issue_stories_insert_content after insert on issue_stories begin
  insert into content_versions (project_id, issues) values (new.project_id, 1)
    on conflict (project_id) do update set issues = issues + 1;
end;
create trigger issue_stories_delete_content after delete on issue_stories begin
  insert into content_versions (project_id, issues) values (old.project_id, 1)
    on conflict (project_id) do update set issues = issues + 1;
end;
create trigger issues_update_content after update of title, severity, status, duplicate_of on issues
  when exists (select 1 from issue_stories where issue_id = new.id) or exists (
    select 1 from traces where project_id = new.project_id and target_kind = 'issue' and target_id = new.id)
begin
  insert into content_versions (project_id, issues) values (new.project_id, 1)
    on conflict (project_id) do update set issues = issues + 1;
end;

-- The latest result of every test, of the runs that count, kept by the writes that settle a run. Those of
-- commands are in command_stats.
create table latest_results (
  test_seq integer primary key,
  project_id text not null references projects (id),
  result_seq integer not null,
  status text not null,
  duration_ms integer,
  content_sha256 text,
  -- The stories that it names, a JSON list; null where it names none.
  story_ids text
) strict;
insert into latest_results (test_seq, project_id, result_seq, status, duration_ms, content_sha256, story_ids)
  select r.test_seq, u.project_id, max(r.seq), r.status, r.duration_ms, r.content_sha256, r.story_ids
  from test_results r join test_runs u on u.batch = r.seq / 131072
  where u.counts = 1 and not exists (select 1 from run_batches b where b.batch = u.batch)
  group by r.test_seq;
create index latest_results_named on latest_results (project_id, test_seq) where story_ids is not null;
drop table test_links;
