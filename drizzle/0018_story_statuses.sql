CREATE TABLE `story_statuses` (
	`seq` integer PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`step` text NOT NULL,
	`name` text NOT NULL,
	`at` integer NOT NULL,
	`revision` integer NOT NULL,
	`version` integer NOT NULL,
	`counts` text NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `story_statuses_name` ON `story_statuses` (`project_id`,`step`,`name`);--> statement-breakpoint
CREATE INDEX `story_statuses_step` ON `story_statuses` (`project_id`,`step`,`seq`);