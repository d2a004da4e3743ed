// The access table: every operation of the interface, and which capabilities may call it. The
// guard, the API document, the handoff and the tests read it; a route without a row is refused.

export const CAPABILITIES = [
  'project:owner',
  'srs:edit',
  'agent:execute',
  'widget:write',
  'read:demo',
] as const;

/** What a token's holder may do, from the least restricted to the most. */
export type Capability = (typeof CAPABILITIES)[number];

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
export type Area = 'Project and SRS' | 'Quality and execution' | 'Issues, evidence, and health';

export interface AccessRow {
  method: Method;
  /** Below the prefix; parameters as `:id`. */
  path: string;
  operationId: string;
  area: Area;
  purpose: string;
  /** The capabilities beside `project:owner` that may call it; `signature` where a link opens it. */
  allow: readonly Capability[] | 'signature';
  /** Fields of the body that a capability may set, where it may not set all. */
  fields: Partial<Record<Capability, readonly string[]>>;
}

const SRS: Area = 'Project and SRS';
const QUALITY: Area = 'Quality and execution';
const EVIDENCE: Area = 'Issues, evidence, and health';

const READERS = ['srs:edit', 'agent:execute', 'read:demo'] as const;
const EDITORS = ['srs:edit'] as const;
const AGENTS = ['agent:execute'] as const;
const REPORTERS = ['agent:execute', 'widget:write'] as const;
const ANYONE = ['srs:edit', 'agent:execute', 'widget:write', 'read:demo'] as const;

type Key = `${Method} /${string}`;

function row<K extends Key, const I extends string>(
  key: K,
  operationId: I,
  area: Area,
  purpose: string,
  allow: AccessRow['allow'],
  fields: AccessRow['fields'] = {},
): AccessRow & { key: K; operationId: I } {
  const [method, path] = key.split(' ') as [Method, string];
  return { key, method, path, operationId, area, purpose, allow, fields };
}

const ROWS = [
  row('GET /projects', 'listProjects', SRS, 'Read projects', READERS),
  row('POST /projects', 'createProject', SRS, 'Create a project', EDITORS, {
    'srs:edit': ['slug', 'sources', 'mode', 'baseRevision', 'dryRun', 'confirm'],
  }),
  row('GET /srs-graph', 'getSrsGraph', SRS, 'Read the canonical SRS graph', READERS),
  row('GET /srs-source-audit', 'getSrsSourceAudit', SRS, 'Read the source audit', READERS),
  row('GET /srs-story/:id', 'getStory', SRS, 'Read one story', READERS),
  row('GET /srs-workflow/:id', 'getWorkflow', SRS, "Read one story's workflow", READERS),
  row('POST /story-edits', 'createStoryEdit', SRS, 'Create a story edit', EDITORS),
  row('PATCH /story-edits', 'updateStoryEdit', SRS, 'Modify a story edit', EDITORS),
  row('POST /story-additions', 'createStoryAddition', SRS, 'Create a story addition', EDITORS),
  row('DELETE /story-additions', 'deleteStoryAddition', SRS, 'Delete a story addition', EDITORS),
  row('GET /project-traceability', 'getTraceability', SRS, 'Read traceability', READERS),
  row('POST /project-traceability', 'writeTraceability', SRS, 'Write traceability', EDITORS),
  row(
    'GET /validation-transfer',
    'getValidationTransfer',
    SRS,
    'Read validation transfer',
    READERS,
  ),
  row(
    'POST /validation-transfer',
    'submitValidationTransfer',
    SRS,
    'Submit validation transfer',
    EDITORS,
  ),

  row('GET /test-commands', 'listTestCommands', QUALITY, 'Read test commands', READERS),
  row('POST /test-commands', 'createTestCommand', QUALITY, 'Create a test command', AGENTS),
  row('PATCH /test-commands', 'updateTestCommand', QUALITY, 'Modify a test command', AGENTS),
  row('GET /test-runs', 'listTestRuns', QUALITY, 'Read test runs', READERS),
  row('POST /test-runs', 'recordTestRun', QUALITY, 'Record a test run', AGENTS),
  row('GET /run-state', 'getRunState', QUALITY, 'Read run state', READERS),
  row('POST /run-state', 'submitRunState', QUALITY, 'Submit run state', REPORTERS),
  row('POST /agent/plan', 'createAgentPlan', QUALITY, 'Produce or submit an agent plan', AGENTS),
  row('POST /agent/suite', 'createAgentSuite', QUALITY, 'Produce or submit an agent suite', AGENTS),
  row('GET /project-scenarios', 'listScenarios', QUALITY, 'Read scenarios', READERS),
  row('POST /project-scenarios', 'writeScenarios', QUALITY, 'Write scenarios', EDITORS),
  row('GET /route-catalog', 'getRouteCatalog', QUALITY, 'Read the route catalog', READERS),
  row('GET /route-candidates', 'getRouteCandidates', QUALITY, 'Read route candidates', READERS),

  row('GET /issues', 'listIssues', EVIDENCE, 'Read issues', READERS),
  row('POST /issues', 'createIssue', EVIDENCE, 'Create an issue', REPORTERS, {
    'widget:write': [
      'title',
      'description',
      'severity',
      'url',
      'route',
      'build',
      'environment',
      'context',
      'occurredAt',
    ],
  }),
  row('PATCH /issues/:id', 'updateIssue', EVIDENCE, 'Modify an issue', []),
  row(
    'POST /issues/:id/attachments',
    'attachEvidence',
    EVIDENCE,
    'Attach evidence to an issue',
    REPORTERS,
  ),
  row(
    'GET /files/:key',
    'getFile',
    EVIDENCE,
    'Fetch a file by its signed, temporary link',
    'signature',
  ),
  row('GET /system-logs', 'listSystemLogs', EVIDENCE, 'Read system log entries', [
    'agent:execute',
    'read:demo',
  ]),
  row('POST /system-logs', 'writeSystemLogs', EVIDENCE, 'Write system log entries', AGENTS),
  row('PATCH /system-logs', 'updateSystemLogs', EVIDENCE, 'Modify system log entries', []),
  row('GET /health', 'getHealth', EVIDENCE, 'Health probe', ANYONE),
  row('GET /ready', 'getReadiness', EVIDENCE, 'Readiness probe', ANYONE),
  row('GET /project-handoff', 'getHandoff', EVIDENCE, 'Machine-readable project handoff', READERS),
];

export type Operation = (typeof ROWS)[number]['key'];

/** The name of an operation, as the API document and a route give it. */
export type OperationId = (typeof ROWS)[number]['operationId'];

/** Every operation of the interface. */
export const ACCESS: readonly (AccessRow & { key: Operation; operationId: OperationId })[] = ROWS;

/** The prefixes under which every operation answers; links always say the first. */
export const PREFIXES = ['/api', '/api/v1'] as const;

/** The row of an operation, by its id or by method and path. @throws when there is none */
export function accessRow(operation: Operation | OperationId): AccessRow {
  const found = ACCESS.find(
    ({ key, operationId }) => key === operation || operationId === operation,
  );
  if (!found) throw new Error(`${operation} has no row in the access table`);
  return found;
}

/** The capabilities that may call an operation, the least restricted first. */
export function capabilitiesFor(access: Pick<AccessRow, 'allow'>): readonly Capability[] {
  return access.allow === 'signature' ? [] : ['project:owner', ...access.allow];
}

/** What a caller may do: its capabilities that are in effect, and whether it may only read. */
export interface Rights {
  capabilities: ReadonlySet<Capability>;
  readOnly: boolean;
}

/**
 * The capability by which a caller acts: the least restricted one it holds that allows the call.
 * @returns undefined where none allows it
 */
export function actingCapability(
  access: Pick<AccessRow, 'method' | 'allow'>,
  { capabilities, readOnly }: Rights,
): Capability | undefined {
  if (access.allow === 'signature') return undefined;
  if (readOnly && access.method !== 'GET') return undefined;
  if (capabilities.has('project:owner')) return 'project:owner';
  return access.allow.find((capability) => capabilities.has(capability));
}
