-- An owner lets a command with credentials send archives, in which nothing is masked.
alter table test_commands add column allow_archives integer not null default 0;
-- What is lent to a token is looked up with each of its writes.
create index credential_leases_token on credential_leases (token_id) where ended_at is null;
