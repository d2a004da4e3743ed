create table test_commands (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  key text not null,
  name text not null,
  kind text not null,
  argv text not null,
  cwd text,
  env text not null,
  timeout_ms integer not null,
  report text not null,
  story_ids text not null,
  routes text not null,
  tags text not null,
  credentials text not null,
  on_lease_lost text not null,
  max_attempts integer not null,
  state text not null,
  quarantine text,
  -- Of kind, argv, cwd and report: what a result of it is a result of.
  fingerprint text not null,
  author_token text not null,
  author_label text,
  version integer not null default 1,
  created_at integer not null,
  updated_at integer not null,
  unique (project_id, key)
) strict;
create index test_commands_project on test_commands (project_id, seq);

-- What is learned of a command from the runs that count.
create table command_stats (
  command_id text primary key references test_commands (id),
  project_id text not null references projects (id),
  runs integer not null,
  passed integer not null,
  flaky integer not null,
  -- A letter a run, the newest first.
  outcomes text not null,
  -- Milliseconds of the newest runs, the newest first.
  durations text not null,
  last_run_id text not null,
  last_batch integer not null,
  last_status text not null,
  last_at integer not null,
  last_duration_ms integer,
  -- The project's count of runs at the last one.
  last_ordinal integer not null,
  -- The command's fingerprint as it was then.
  last_fingerprint text not null
) strict, without rowid;
create index command_stats_project on command_stats (project_id);

create table credentials (
  seq integer primary key,
  project_id text not null references projects (id),
  name text not null,
  version integer not null,
  sealed blob not null,
  created_at integer not null,
  -- When another version took its place, or it was removed. It is kept where it was handed out:
  -- what is submitted under that lease is searched for it.
  retired_at integer,
  unique (project_id, name, version)
) strict;
create unique index credentials_current on credentials (project_id, name) where retired_at is null;

create table leases (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  token_id text not null,
  secret_sha256 text not null,
  lease_ms integer not null,
  created_at integer not null,
  expires_at integer not null,
  ended_at integer,
  ended_why text
) strict;
create index leases_running on leases (expires_at) where ended_at is null;

-- Every value that was handed out, on record; never the value.
create table credential_leases (
  seq integer primary key,
  project_id text not null references projects (id),
  lease_id text not null references leases (id),
  credential_name text not null,
  credential_version integer not null,
  command_id text not null references test_commands (id),
  token_id text not null,
  issued_at integer not null,
  expires_at integer not null,
  ended_at integer,
  ended_why text
) strict;
create index credential_leases_lease on credential_leases (lease_id);
create index credential_leases_command on credential_leases (command_id) where ended_at is null;
create index credential_leases_name on credential_leases (project_id, credential_name, credential_version);
create index credential_leases_project on credential_leases (project_id, seq);
create index credential_leases_running on credential_leases (expires_at) where ended_at is null;

create table plans (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  revision integer not null,
  -- `produced`, `submitted`, or `suite`: the commands that a suite named without a plan.
  origin text not null,
  request text not null,
  answer text not null,
  author_token text not null,
  author_label text,
  created_at integer not null
) strict;
create index plans_project on plans (project_id, seq);

create table plan_items (
  seq integer primary key,
  plan_id text not null references plans (id),
  position integer not null,
  project_id text not null references projects (id),
  command_id text not null references test_commands (id),
  -- `open`, `claimed`, `ended`.
  state text not null,
  attempts integer not null default 0,
  -- The run of its newest attempt.
  run_id text,
  -- How it ended: `passed`, `failed`, `broken`, `cancelled`.
  outcome text,
  updated_at integer not null,
  unique (plan_id, position)
) strict;
create index plan_items_open on plan_items (plan_id, position) where state = 'open';
create index plan_items_state on plan_items (plan_id, state, outcome);

create table suites (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  plan_id text references plans (id),
  lease_id text not null references leases (id),
  agent text not null,
  author_token text not null,
  author_label text,
  created_at integer not null,
  ended_at integer
) strict;
create index suites_project on suites (project_id, seq);
create index suites_lease on suites (lease_id);

-- The state of every run that was claimed or opened, one a row; an attempt is a run of its own.
create table run_states (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  suite_id text references suites (id),
  plan_id text references plans (id),
  -- Of the item in its plan, or in its suite where that is the agent's own.
  position integer,
  command_id text references test_commands (id),
  -- What the agent is to run, as it was claimed.
  item text,
  attempt integer not null,
  state text not null,
  -- Of the newest write by its agent.
  state_seq integer not null,
  state_sha256 text,
  progress text,
  message text,
  agent text,
  lease_id text references leases (id),
  cancel_requested integer not null default 0,
  from_widget integer not null default 0,
  heartbeat_at integer,
  -- Counts up with every change of any run of the instance.
  change integer not null,
  -- The revision and overlays of the claim, and the fingerprints of the command's stories then.
  revision integer not null,
  overlay_clock integer not null,
  pins text not null,
  author_token text not null,
  author_label text,
  version integer not null default 1,
  created_at integer not null,
  updated_at integer not null
) strict;
create index run_states_project on run_states (project_id, seq);
create index run_states_state on run_states (project_id, state, seq);
create unique index run_states_change on run_states (project_id, change);
create index run_states_held on run_states (lease_id) where state in ('queued', 'running');
create index run_states_suite on run_states (suite_id, state, seq) where suite_id is not null;
create index run_states_plan on run_states (plan_id, seq) where plan_id is not null;
create index run_states_command on run_states (command_id, seq) where command_id is not null;

-- Reports that are being received: their results have no run yet and are seen by nobody. One that
-- is found at a start was broken off: its results go, or, once its run is there, are settled.
create table run_batches (
  batch integer primary key autoincrement,
  project_id text not null references projects (id),
  run_id text not null,
  created_at integer not null
) strict;

create table test_runs (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  -- Of its results: their `seq` is batch * 131072 + position.
  batch integer not null unique,
  external_id text,
  body_sha256 text not null,
  name text not null,
  plan_id text,
  suite_id text,
  command_id text references test_commands (id),
  command_fingerprint text,
  attempt integer,
  agent text,
  status text not null,
  late integer not null default 0,
  -- Whether it counts for coverage, validation, plans and statistics.
  counts integer not null,
  -- The how manyth of the project's runs that count.
  ordinal integer,
  started_at integer,
  finished_at integer,
  duration_ms integer,
  commit_id text,
  branch text,
  environment text,
  revision integer not null,
  totals text not null,
  harness_errors text not null,
  format text,
  tool text,
  execution text,
  properties text not null,
  author_token text not null,
  author_label text,
  version integer not null default 1,
  created_at integer not null
) strict;
create index test_runs_project on test_runs (project_id, seq);
create index test_runs_status on test_runs (project_id, status, seq);
create index test_runs_command on test_runs (command_id, seq) where command_id is not null;
create index test_runs_commit on test_runs (project_id, commit_id, seq) where commit_id is not null;
create unique index test_runs_external on test_runs (project_id, external_id) where external_id is not null;
create index test_runs_suite on test_runs (suite_id, seq) where suite_id is not null;
create index test_runs_plan on test_runs (plan_id, seq) where plan_id is not null;
create index test_runs_agent on test_runs (project_id, json_extract(agent, '$.name'), seq) where agent is not null;
create index test_runs_branch on test_runs (project_id, branch, seq) where branch is not null;
create index test_runs_environment on test_runs (project_id, environment, seq) where environment is not null;
create index test_runs_late on test_runs (project_id, seq) where late = 1;
create index test_runs_counting on test_runs (project_id, seq) where counts = 1;

-- The fingerprints that a run's stories had for it: { storyId: [fingerprint, deepFingerprint] }.
create table run_pins (
  batch integer primary key,
  pins text not null,
  -- The clock of the edits and additions that it was of; null for a revision as its sources gave it.
  overlay_clock integer
) strict;

create table tests (
  -- That of the result that brought it.
  seq integer primary key,
  project_id text not null references projects (id),
  test_key text not null,
  name text not null,
  path text not null,
  file text,
  line integer,
  parameters text,
  unique (project_id, test_key)
) strict;

create table test_results (
  -- batch * 131072 + position: a run's results stand together, in the order of its report.
  seq integer primary key,
  test_seq integer not null,
  status text not null,
  duration_ms integer,
  flaky integer not null,
  line integer,
  content_sha256 text,
  story_ids text,
  message text,
  trace text,
  attempts text
) strict;
create index test_results_test on test_results (test_seq, seq);

-- The newest result that counts of every test that names stories.
create table test_links (
  test_seq integer primary key,
  project_id text not null references projects (id),
  test_key text not null,
  story_ids text not null,
  result_seq integer not null,
  status text not null,
  at integer not null,
  duration_ms integer,
  content_sha256 text
) strict;
create index test_links_project on test_links (project_id, test_seq);

create table scenarios (
  seq integer primary key,
  id text not null unique,
  project_id text not null references projects (id),
  key text not null,
  feature text,
  title text not null,
  steps text not null,
  examples text not null,
  story_ids text not null,
  routes text not null,
  tags text not null,
  state text not null,
  fingerprint text not null,
  author_token text not null,
  author_label text,
  version integer not null default 1,
  created_at integer not null,
  updated_at integer not null,
  unique (project_id, key)
) strict;
create index scenarios_project on scenarios (project_id, seq);

-- Attachments are of an issue or of a test run.
create table attachments_next (
  seq integer primary key,
  id text not null unique,
  key text not null unique,
  project_id text not null references projects (id),
  issue_id text references issues (id),
  run_id text references test_runs (id),
  name text not null,
  kind text not null,
  note text,
  media_type text not null,
  bytes integer not null,
  sha256 text not null,
  author_token text not null,
  author_label text,
  created_at integer not null,
  check ((issue_id is null) <> (run_id is null))
) strict;
insert into attachments_next
  (seq, id, key, project_id, issue_id, name, kind, note, media_type, bytes, sha256, author_token, author_label, created_at)
  select seq, id, key, project_id, issue_id, name, kind, note, media_type, bytes, sha256, author_token, author_label, created_at
  from attachments;
drop table attachments;
alter table attachments_next rename to attachments;
create index attachments_issue on attachments (issue_id, seq) where issue_id is not null;
create index attachments_run on attachments (run_id, seq) where run_id is not null;
create index attachments_content on attachments (sha256);
create index attachments_project on attachments (project_id, bytes);
