CREATE TABLE `issue_counts` (
	`project_id` text NOT NULL,
	`status` text NOT NULL,
	`severity` text NOT NULL,
	`is_duplicate` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`project_id`, `status`, `severity`, `is_duplicate`),
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `issues_urgent` ON `issues` (`project_id`,`severity`,`number`) WHERE duplicate_of is null and status in ('open', 'triaged', 'in_progress') and severity in ('blocker', 'critical');
--> statement-breakpoint
INSERT INTO issue_counts
	SELECT project_id, status, severity, duplicate_of IS NOT NULL, count(*) FROM issues GROUP BY 1, 2, 3, 4;
--> statement-breakpoint
CREATE TRIGGER issues_insert_counts AFTER INSERT ON issues BEGIN
	INSERT INTO issue_counts VALUES (new.project_id, new.status, new.severity, new.duplicate_of IS NOT NULL, 1)
		ON CONFLICT DO UPDATE SET count = count + 1;
END;
--> statement-breakpoint
CREATE TRIGGER issues_update_counts AFTER UPDATE OF status, severity, duplicate_of ON issues BEGIN
	UPDATE issue_counts SET count = count - 1 WHERE project_id = old.project_id
		AND status = old.status AND severity = old.severity AND is_duplicate = (old.duplicate_of IS NOT NULL);
	INSERT INTO issue_counts VALUES (new.project_id, new.status, new.severity, new.duplicate_of IS NOT NULL, 1)
		ON CONFLICT DO UPDATE SET count = count + 1;
END;
