-- Between which times the rows of 1,024 places of a table are, so that a range of times looks at few rows of a
-- list that is in another order. Rows that go do not narrow it. Those of log entries are recorded by the batch.
create table time_blocks (
  source text not null,
  block integer not null,
  earliest integer not null,
  latest integer not null,
  primary key (source, block)
) strict, without rowid;
insert into time_blocks select 'issues', seq >> 10, min(created_at), max(created_at) from issues group by 2;
insert into time_blocks select 'log_entries', seq >> 10, min(at), max(at) from log_entries group by 2;
insert into time_blocks select 'test_runs', seq >> 10, min(started_at), max(started_at) from test_runs where started_at is not null group by 2;

create trigger issues_time after insert on issues begin
  insert into time_blocks values ('issues', new.seq >> 10, new.created_at, new.created_at)
    on conflict do update set earliest = min(earliest, new.created_at), latest = max(latest, new.created_at)
    where new.created_at < earliest or new.created_at > latest;
end;
create trigger test_runs_time after insert on test_runs when new.started_at is not null begin
  insert into time_blocks values ('test_runs', new.seq >> 10, new.started_at, new.started_at)
    on conflict do update set earliest = min(earliest, new.started_at), latest = max(latest, new.started_at)
    where new.started_at < earliest or new.started_at > latest;
end;
create trigger test_runs_started after update of started_at on test_runs when new.started_at is not null begin
  insert into time_blocks values ('test_runs', new.seq >> 10, new.started_at, new.started_at)
    on conflict do update set earliest = min(earliest, new.started_at), latest = max(latest, new.started_at)
    where new.started_at < earliest or new.started_at > latest;
end;

-- A filter by state goes down its entries, the newest first, of whatever state.
drop index log_entries_state;
create index log_entries_state on log_entries (project_id, state, seq);
