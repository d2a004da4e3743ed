-- A token that may read alone, whatever else it holds.
alter table tokens add column read_only integer not null default 0;
