-- In what the sources differ from an addition that they absorbed is asked of them each time.
alter table story_additions drop column differs;
