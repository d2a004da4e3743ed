// Routes of the evidence: issues, attachments, files, system logs.
import { room } from '../http/endpoint.ts';
import { attachEvidenceRoute } from './attachment-routes.ts';
import type { Evidence } from './evidence.ts';
import { getFileRoute } from './file-routes.ts';
import { createIssueRoute, readIssues, updateIssueRoute } from './issue-routes.ts';
import { readLogs, settleLogsRoute, writeLogsRoute } from './log-routes.ts';

export function evidenceRoutes(evidence: Evidence) {
  return room(evidence, 'evidence', {
    'GET /issues': readIssues(evidence),
    'POST /issues': createIssueRoute(evidence),
    'PATCH /issues/:id': updateIssueRoute(evidence),
    'POST /issues/:id/attachments': attachEvidenceRoute(evidence),
    'GET /files/:key': getFileRoute(evidence),
    'GET /system-logs': readLogs(evidence),
    'POST /system-logs': writeLogsRoute(evidence),
    'PATCH /system-logs': settleLogsRoute(evidence),
  });
}
