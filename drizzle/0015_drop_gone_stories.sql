-- What stories said that are gone is known by their verdicts alone.
drop table gone_stories;
