// The list of the codes of findings: that it is whole, the types see to; that nothing stands in it
// that no finding has, this does.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';
import { FINDING_CODES } from '../../../src/requirements/sources/findings.ts';

const SRC = join(import.meta.dir, '..', '..', '..', 'src');
const OWN = 'requirements/sources/findings.ts';

/** All texts in quotes that the sources have. */
const quoted = new Set(
  [...new Glob('{requirements,assurance}/**/*.ts').scanSync(SRC)]
    .filter((file) => file !== OWN && !file.endsWith('-docs.ts'))
    .flatMap((file) => readFileSync(join(SRC, file), 'utf8').match(/'[a-z_]+'/g) ?? []),
);

test('every code of the list is one that a finding may have [PQRS-20]', () => {
  expect(FINDING_CODES.filter((code) => !quoted.has(`'${code}'`))).toEqual([]);
  expect([...new Set(FINDING_CODES)].sort()).toEqual([...FINDING_CODES]);
});

test('every code that the contract names is in the list [PQRS-20]', () => {
  const named = [
    ...['unparsed_source', 'unknown_format', 'duplicate_id', 'invalid_id', 'missing_title'],
    ...['missing_statement', 'dangling_reference', 'self_reference', 'cycle', 'orphan'],
    ...['suspect_link', 'unreviewed_item', 'inactive_referenced', 'empty_document'],
    ...['duplicate_statement', 'weak_wording', 'no_acceptance_criteria', 'edit_conflicted'],
    ...['addition_absorbed', 'changed_since_validation'],
  ];
  const codes: readonly string[] = FINDING_CODES;
  expect(named.filter((code) => !codes.includes(code))).toEqual([]);
});
