-- The version of the readers that read a revision: a newer one reads the same sources again. Zero for
-- those from before.
alter table revisions add column readers_version integer not null default 0;
