-- Of an issue's cost in the index a quarter, and of its size half, went to prefixes of three and four letters:
-- the words that begin with these are looked up as those with longer ones. All is indexed anew, in steps.
DROP TABLE `issues_text`;--> statement-breakpoint
CREATE VIRTUAL TABLE `issues_text` USING fts5 (
  title, description, scope,
  content = '', contentless_delete = 1, prefix = '2',
  tokenize = 'unicode61 remove_diacritics 2'
);
