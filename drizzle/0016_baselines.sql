CREATE TABLE `baselines` (
	`seq` integer PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`revision` integer NOT NULL,
	`note` text,
	`author_token` text NOT NULL,
	`author_label` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `baselines_name` ON `baselines` (`project_id`,`name`);