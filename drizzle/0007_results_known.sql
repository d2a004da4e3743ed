-- Up to which run the results were known for which a verdict was given: what failed before is not a
-- failure since. Null in those from before.
alter table validations add column results_up_to integer;
