// Routes of the quality: what is read of commands, runs, scenarios and routes.
import { room } from '../http/endpoint.ts';
import type { Quality } from './quality.ts';

export function qualityRoutes(quality: Quality) {
  return room(quality, 'quality', {});
}
