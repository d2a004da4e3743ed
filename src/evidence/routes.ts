// Routes of the evidence: issues, attachments, files, system logs.
import { Elysia } from 'elysia';
import { room } from '../http/api/endpoint.ts';
import { getFileRoute } from './attachments/file-routes.ts';
import { attachEvidenceRoute } from './attachments/routes.ts';
import type { Evidence } from './evidence.ts';
import { issueRoutes } from './issues/routes.ts';
import { readLogs, settleLogsRoute, writeLogsRoute } from './logs/routes.ts';

export const evidenceRoutes = (evidence: Evidence) =>
  new Elysia({ name: 'evidence' }).use(issueRoutes(evidence)).use(
    room(evidence, 'evidence-rest', {
      'POST /issues/:id/attachments': attachEvidenceRoute(evidence),
      'GET /files/:key': getFileRoute(evidence),
      'GET /system-logs': readLogs(evidence),
      'POST /system-logs': writeLogsRoute(evidence),
      'PATCH /system-logs': settleLogsRoute(evidence),
    }),
  );
