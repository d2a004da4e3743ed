// What the API document says of recording test runs.
import type { OperationDocs } from '../../model/docs.ts';
import { TEST_RUN_EXAMPLE } from '../../quality/runs/docs.ts';

const JUNIT =
  '<testsuites name="checkout"><testsuite name="test/checkout.test.ts" file="test/checkout.test.ts">' +
  '<testcase name="takes a card [US-12]" time="1.2"/></testsuite></testsuites>';

export const RECORD_RUN_DOCS: OperationDocs = {
  description:
    'Records a test run from its report: JUnit XML, CTRF, TAP or our own JSON, bare or as the part `report` of a form. ' +
    'What a report does not say comes as query, as the part `run` of the form, or at the top of our own JSON: ' +
    '`externalId`, `name`, `commandId` (or the key of the command), `agent`, `startedAt`, `finishedAt`, `commit`, ' +
    '`branch`, `environment`, `revision`, `root` (the folder of the tests, which files are kept relative to) and ' +
    '`execution`. A run that was claimed or opened is named by `runId`, `attempt` and `lease`, in a body alone; values ' +
    'that were lent under that lease, or are to the token, are stored as `***`, here and in the files of the form, which ' +
    'become attachments of the run.\n\n' +
    'The run is `broken` where its report is cut off, not well-formed, holds no result or none that ran, or disagrees ' +
    'with `execution`; `failed` where a result failed or broke; else `passed`. `harnessErrors` say why it is broken. A ' +
    'report of which nothing can be read is refused, unless `execution` or the lease say that there was a run: then it ' +
    'is broken. Of our own JSON every field is checked. A report has at most 100,000 results.\n\n' +
    'Runs are never changed. The same `externalId` (else the `reportId` of the report) with the same body is answered ' +
    'with the run that is there, `200`; with another body `409`. A report that comes after its lease was lost, with its ' +
    'item claimed again or ended, is kept and counts for nothing: `202`, `late: true`.',
  bodyExample: {
    name: 'checkout',
    commandId: 'checkout',
    commit: TEST_RUN_EXAMPLE.commit,
    branch: 'main',
    execution: { exitCode: 0 },
    results: [
      {
        name: 'takes a card [US-12]',
        file: 'test/checkout.test.ts',
        status: 'passed',
        durationMs: 1200,
      },
    ],
  },
  bodyExamples: {
    'application/xml': JUNIT,
    'text/xml': JUNIT,
    'text/tap': 'TAP version 14\n1..1\nok 1 - takes a card [US-12]\n',
    'multipart/form-data': {
      run: { commandId: 'checkout', execution: { exitCode: 0 } },
      report: '(the bytes of junit.xml)',
      screenshot: '(the bytes of screenshot.png)',
    },
  },
  replies: {
    200: {
      description: 'The run that the same submission made before',
      example: TEST_RUN_EXAMPLE,
    },
    201: { description: 'The run', example: TEST_RUN_EXAMPLE },
    202: {
      description: 'The run, which came too late to count',
      example: { ...TEST_RUN_EXAMPLE, late: true, counts: false },
    },
  },
  problems: ['archive_refused'],
};
