-- An index that a write keeps for nobody costs it as much as one that is read: lists by status, and those without
-- duplicates, go through the search index.
DROP INDEX `issues_status`;--> statement-breakpoint
DROP INDEX `issues_originals`;--> statement-breakpoint
CREATE INDEX `issues_reported` ON `issues` (`project_id`,`number`) WHERE duplicate_of is null and status = 'open' and from_widget = 1;