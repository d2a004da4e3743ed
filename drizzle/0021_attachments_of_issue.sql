DROP INDEX `attachments_issue`;--> statement-breakpoint
ALTER TABLE `attachments` ADD `issue_seq` integer;--> statement-breakpoint
UPDATE `attachments` SET `issue_seq` = (SELECT `seq` FROM `issues` WHERE `issues`.`id` = `issue_id`) WHERE `issue_id` IS NOT NULL;--> statement-breakpoint
CREATE INDEX `attachments_issue` ON `attachments` (`issue_seq`,`seq`) WHERE issue_seq is not null;
