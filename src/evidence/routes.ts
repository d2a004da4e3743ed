// Routes of the evidence: issues, attachments, files, system logs.
import { room } from '../http/api/endpoint.ts';
import { getFileRoute } from './attachments/file-routes.ts';
import { attachEvidenceRoute } from './attachments/routes.ts';
import type { Evidence } from './evidence.ts';
import { createIssueRoute, readIssues, updateIssueRoute } from './issues/routes.ts';
import { readLogs, settleLogsRoute, writeLogsRoute } from './logs/routes.ts';

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
