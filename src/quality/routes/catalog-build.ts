// The catalog of routes: those of the API documents, and those that scenarios and commands declare. A
// concrete path that a known template takes is no route of its own.
import type { SourceRoute } from '../../requirements/sources/model.ts';
import { withTemplate } from '../../requirements/sources/routes.ts';
import { derivedId } from '../../store/ids.ts';
import { compareTexts, sortText } from '../keyed-page.ts';
import type { Scenario } from '../scenarios/model.ts';
import { routesInSteps, SCENARIO_STEPS, STEP_BATCH } from '../scenarios/rows.ts';
import type { Steps } from '../scheduler.ts';
import type { CatalogRoute, RouteOrigin } from './catalog-model.ts';
import { type Matcher, openMatcher } from './match.ts';
import { readRoute, shapeOf, templateOf } from './route-text.ts';

export interface DeclaringCommand {
  id: string;
  routes: readonly string[];
  storyIds: readonly string[];
}

export interface CatalogSources {
  projectId: string;
  /** In source order. */
  routes: readonly SourceRoute[];
  /** Those in effect; archived ones declare nothing. */
  scenarios: readonly Scenario[];
  /** Those that are not archived. */
  commands: readonly DeclaringCommand[];
}

export interface RouteCatalog {
  /** Those of the API documents in source order, then the others by template and method. */
  routes: readonly CatalogRoute[];
  /** How many are of the API documents. */
  documented: number;
  matcher: Matcher<CatalogRoute>;
  byId: ReadonlyMap<string, CatalogRoute>;
}

interface Draft {
  method: string;
  template: string;
  shape: string;
  route: Omit<CatalogRoute, 'storyIds' | 'scenarioIds' | 'commandIds' | 'tags'>;
  tags: Set<string>;
  storyIds: Set<string>;
  scenarioIds: Set<string>;
  commandIds: Set<string>;
}

interface Declaration {
  method: string | null;
  template: string;
  shape: string;
  /** Whether it has parameters. */
  isTemplate: boolean;
  origin: RouteOrigin;
  owner: Owner;
}

interface Owner {
  id: string;
  storyIds: readonly string[];
  source?: CatalogRoute['source'];
}

const STEP = 200;

export function* catalogSteps(sources: CatalogSources): Steps<RouteCatalog> {
  const { projectId, scenarios, commands } = sources;
  const drafts = new Map<string, Draft>();
  const matcher = openMatcher<Draft>();
  const declared: { sortedBy: string; draft: Draft }[] = [];
  let done = 0;
  for (const route of sources.routes) {
    if (++done % STEP === 0) yield;
    const { storyIds, tags, path, line } = route;
    const draft = drafts.get(keyOf(route.method, route.template)) ?? addRoute(route, 'openapi');
    draft.route.source ??= { path, line };
    for (const id of storyIds) draft.storyIds.add(id);
    for (const tag of tags) draft.tags.add(tag);
  }
  for (const one of inOrder(declarationsOf(scenarios, commands))) {
    if (++done % STEP === 0) yield;
    const { method, template, isTemplate } = one;
    const known = isTemplate ? ofShape(one) : matching(method, template);
    join(known ?? addDeclared(one), one);
  }
  let left = STEP_BATCH;
  for (const scenario of scenarios) {
    if (scenario.state !== 'active') continue;
    left -= SCENARIO_STEPS + scenario.steps.length;
    if (left < 0) {
      yield;
      left = STEP_BATCH;
    }
    for (const { method, path } of routesInSteps(scenario)) {
      const draft = matching(method, path);
      if (draft) join(draft, { origin: 'scenario', owner: scenario });
    }
  }
  declared.sort((a, b) => compareTexts(a.sortedBy, b.sortedBy));
  const others = declared.map(({ draft }) => draft);
  const isOther = new Set(others);
  const first = [...drafts.values()].filter((draft) => !isOther.has(draft));
  return yield* finished([...first, ...others], first.length);

  function addRoute(
    {
      method,
      template,
      operationId,
      summary,
      params,
    }: Pick<SourceRoute, 'method' | 'template' | 'operationId' | 'summary' | 'params'>,
    origin: RouteOrigin,
  ): Draft {
    const key = keyOf(method, template);
    const id = routeId(projectId, { method, template });
    const draft: Draft = {
      method,
      template,
      shape: shapeOf(template),
      route: { id, method, template, operationId, summary, origin, params, source: null },
      tags: new Set(),
      storyIds: new Set(),
      scenarioIds: new Set(),
      commandIds: new Set(),
    };
    drafts.set(key, draft);
    matcher.add(draft);
    return draft;
  }

  function addDeclared({ method, template, origin, owner }: Declaration): Draft {
    const params = withTemplate([], template);
    const named = { method: method ?? 'GET', template, operationId: null, summary: '', params };
    const draft = addRoute(named, origin);
    draft.route.source = owner.source ?? null;
    declared.push({ sortedBy: declaredSort(draft), draft });
    return draft;
  }

  function ofShape({ method, template, shape }: Declaration): Draft | undefined {
    const found = drafts.get(keyOf(method ?? 'GET', template));
    if (found || method !== null) return found;
    const other = matcher.match(null, template);
    return other?.shape === shape ? other : undefined;
  }

  function matching(method: string | null, path: string): Draft | null {
    return method === null
      ? (matcher.match('GET', path) ?? matcher.match(null, path))
      : matcher.match(method, path);
  }
}

function keyOf(method: string, template: string): string {
  return `${method} ${shapeOf(template)}`;
}

export function routeId(
  projectId: string,
  { method, template }: Pick<CatalogRoute, 'method' | 'template'>,
): string {
  return derivedId('rte', projectId, keyOf(method, template));
}

export function declaredSort({
  method,
  template,
}: Pick<CatalogRoute, 'method' | 'template'>): string {
  return sortText(shapeOf(template), method);
}

/** Of the routes of API documents those that the catalog has, in its order: of two alike the first. */
export function* documentedSteps(routes: readonly SourceRoute[]): Steps<SourceRoute[]> {
  const first = new Map<string, SourceRoute>();
  let done = 0;
  for (const route of routes) {
    if (++done % STEP === 0) yield;
    const key = keyOf(route.method, route.template);
    if (!first.has(key)) first.set(key, route);
  }
  return [...first.values()];
}

function* declarationsOf(
  scenarios: readonly Scenario[],
  commands: readonly DeclaringCommand[],
): Generator<Declaration> {
  for (const scenario of scenarios) {
    if (scenario.state === 'active') yield* declaredBy(scenario, 'scenario');
  }
  for (const command of commands) yield* declaredBy(command, 'command');
}

function* declaredBy(
  owner: Owner & { routes: readonly string[] },
  origin: RouteOrigin,
): Generator<Declaration> {
  for (const text of owner.routes) {
    const route = readRoute(text);
    if (!route) continue;
    const template = templateOf(route.path);
    const isTemplate = template.includes('{');
    yield { method: route.method, template, shape: shapeOf(template), isTemplate, origin, owner };
  }
}

/**
 * Templates first, so that concrete paths find them whoever declares them, and those with a method, so
 * that those without find these; otherwise so that the order of commands is of no account.
 */
function inOrder(declarations: Iterable<Declaration>): Declaration[] {
  return [...declarations].sort(
    (a, b) =>
      Number(b.isTemplate) - Number(a.isTemplate) ||
      Number(a.method === null) - Number(b.method === null) ||
      compareTexts(a.shape, b.shape) ||
      compareTexts(a.method ?? '', b.method ?? '') ||
      // What a scenario calls a parameter before what a command does.
      -compareTexts(a.origin, b.origin) ||
      compareTexts(a.template, b.template),
  );
}

function join(draft: Draft, { origin, owner }: Pick<Declaration, 'origin' | 'owner'>): void {
  (origin === 'scenario' ? draft.scenarioIds : draft.commandIds).add(owner.id);
  for (const id of owner.storyIds) draft.storyIds.add(id);
}

function* finished(drafts: readonly Draft[], documented: number): Steps<RouteCatalog> {
  const routes: CatalogRoute[] = [];
  const matcher = openMatcher<CatalogRoute>();
  for (const { route, tags, storyIds, scenarioIds, commandIds } of drafts) {
    if (routes.length % STEP === STEP - 1) yield;
    const made = {
      ...route,
      tags: [...tags],
      storyIds: [...storyIds],
      scenarioIds: [...scenarioIds],
      commandIds: [...commandIds],
    };
    routes.push(made);
    matcher.add(made);
  }
  return { routes, documented, matcher, byId: new Map(routes.map((route) => [route.id, route])) };
}
