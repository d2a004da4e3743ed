// Routes of the evidence: issues, attachments, files, system logs.

import { Elysia } from 'elysia';
import type { Served } from '../http/api/context.ts';
import { fileRoutes } from './attachments/file-routes.ts';
import { attachmentRoutes } from './attachments/routes.ts';
import type { Evidence } from './evidence.ts';
import { issueRoutes } from './issues/routes.ts';
import { logRoutes } from './logs/routes.ts';

export const evidenceRoutes = (evidence: Served<Evidence>) =>
  new Elysia({ name: 'evidence' })
    .use(issueRoutes(evidence))
    .use(attachmentRoutes(evidence))
    .use(fileRoutes(evidence))
    .use(logRoutes(evidence));
