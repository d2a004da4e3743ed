-- What fingerprints covered for a run: the stories that it did not pin are compared by the same. Null
-- in those from before, whose revision's is taken.
alter table run_pins add column profile text;
