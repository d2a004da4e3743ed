// What the names of relations mean: of a relation from A to B, which link it is.
import { expect, test } from 'bun:test';
import { isReversedRole, linkTypeOf } from '../../../src/requirements/sources/reqif-link-names.ts';

const NAMES: Record<string, readonly string[]> = {
  'A refines B': [
    ...['refines', 'refine', 'Refinement', 'is refinement of', 'refinement to', 'refined from'],
    ...['parent', 'Parent relation', 'has parent', 'hasParent', 'link to parent', 'parents'],
    ...['child of', 'is child of', 'is a child of', 'childOf', 'isChildOf', 'is child', 'childof'],
    ...['child requirement of', 'child to', 'child to parent', 'Child-Parent', 'owned by parent'],
    ...['details', 'detail of', 'is detail for', 'elaborates', 'elaboration of', 'is elaborating'],
  ],
  'B refines A': [
    ...['refined by', 'is refined by', 'isRefinedBy', 'isrefinedby', 'has been refined'],
    ...['refined in', 'refined to', 'refines into', 'has refinement', 'has refined requirements'],
    ...['parent of', 'is parent of', 'is the parent of', 'isParentOf', 'is parent', 'parent to'],
    ...['child', 'Children', 'Child relation', 'has child', 'hasChild', 'link to child'],
    ...['Parent-Child', 'parent to child', 'from parent to child', 'parent/child relation'],
    ...['detailed in', 'elaborated by', 'has details', 'refinement by'],
  ],
  'A derives B': [
    ...['derives', 'derivedFrom', 'is derived from', 'derives from', 'deriveReqt', 'derived'],
    ...['is derived', 'derivation of', 'is derivation of', 'derived from requirement to test'],
  ],
  'B derives A': ['derived to', 'derives into', 'has derivation', 'has derived', 'derivation by'],
  'A depends B': [
    ...['depends on', 'depend', 'dependent on', 'is dependent on', 'dependency', 'dependency on'],
    ...['has dependency to', 'dependency to', 'requires', 'required', 'prerequisite'],
    ...['has prerequisite', 'requiring'],
  ],
  'B depends A': [
    ...[
      'required for',
      'is required for',
      'required by',
      'isRequiredBy',
      'is required',
      'requiredby',
    ],
    ...['prerequisite of', 'prerequisite for', 'is prerequisite to', 'is a dependency of'],
    ...['dependency for', 'has dependent', 'dependents', 'is depended on by', 'depended upon'],
    ...['needed by', 'is needed by'],
  ],
  'A verifies B': [
    ...['verifies', 'Validates', 'verification', 'verification of', 'validation for', 'tests'],
    ...[
      'test',
      'test of',
      'is test for',
      'test case',
      'is verification of',
      'verifies by analysis',
    ],
    ...['used to verify', 'tested against', 'is verifying', 'is verifier of', 'has verified'],
    ...['checks', 'checked against'],
  ],
  'B verifies A': [
    ...[
      'verified by',
      'is verified by',
      'tested-by',
      'testedBy',
      'validated through',
      'verified in',
    ],
    ...[
      'tested with',
      'is verified',
      'has test',
      'hasTestCase',
      'has verification',
      'link to test',
    ],
    ...['Requirement to test case', 'traced by test', 'verification by', 'verifier', 'verifiedby'],
    ...['checked by', 'is checked by'],
  ],
  'A satisfies B': [
    ...[
      'satisfies',
      'Implements',
      'implementation of',
      'realizes',
      'fulfils',
      'covers',
      'coverage',
    ],
    ...['is implementation for', 'implements in', 'realisation of', 'implemented for'],
  ],
  'B satisfies A': [
    ...['satisfied by', 'is satisfied by', 'implemented in', 'is implemented', 'realized by'],
    ...['has implementation', 'covered by', 'is fulfilled by', 'has coverage', 'coverage by'],
  ],
  'A conflicts B': ['conflicts with', 'conflict', 'is in conflict with', 'conflicted with'],
  'B conflicts A': ['contradicted by'],
  'A relates B': ['', 'invalidates', 'trace', 'requirement', 'proof', 'isolated', 'has'],
};

test.each(
  Object.entries(NAMES).flatMap(([link, names]) =>
    names.map((name): [string, string] => [name, link]),
  ),
)('A %p B: %s [PQRS-9]', (name, link) => {
  const { type, reversed } = linkTypeOf(name);
  expect(reversed ? `B ${type} A` : `A ${type} B`).toBe(link);
});

test('a role reverses its own type of link only', () => {
  expect(isReversedRole('verifies', 'verified by')).toBe(true);
  expect(isReversedRole('refines', 'verified by')).toBe(false);
  expect(isReversedRole('refines', 'child of')).toBe(false);
  expect(isReversedRole('refines', undefined)).toBe(false);
});

test('a very long name costs no more than a short one [PQRS-15]', () => {
  const name = `${'is'.repeat(500_000)} verified by`;
  expect(linkTypeOf(name)).toEqual({ type: 'relates', reversed: false });
  expect(linkTypeOf(`verified by ${name}`).reversed).toBe(true);
});
