// The frame: sign-in where there is no token, else the navigation, the page, and what lies over it.
import { Component, type ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { api, type Having, type Problem, useAnswer } from '../core/api.ts';
import { useKeys } from '../core/keys.ts';
import { go, href, type Route, useRoute } from '../core/route.ts';
import { useToken } from '../core/session.ts';
import { PAGES, type Page, type PageEntry } from '../pages/pages.ts';
import { Icon } from '../parts/icons.tsx';
import { Empty, Refused } from '../parts/states.tsx';
import { Caller, type Me } from './caller.ts';
import { Help } from './help.tsx';
import { Navigation } from './navigation.tsx';
import { Palette } from './palette.tsx';
import { SignIn } from './sign-in.tsx';

export function App() {
  const token = useToken();
  return token === null ? <SignIn /> : <SignedIn key={token} />;
}

type Layer = 'palette' | 'help' | undefined;

function SignedIn() {
  const route = useRoute();
  const { me, problem, reload } = useCaller();
  const [layer, setLayer] = useState<Layer>();
  const [menuOpen, setMenuOpen] = useState(false);
  const entry = PAGES.find(({ id }) => id === route.page);
  const address = location.hash;
  useEffect(() => {
    setLayer(undefined);
    setMenuOpen(false);
  }, [address]);
  useKeys({
    'ctrl-k': () => setLayer('palette'),
    '/': () => setLayer('palette'),
    '?': () => setLayer('help'),
    f: () => document.querySelector<HTMLElement>('main input, main select')?.focus(),
    ...Object.fromEntries(PAGES.map(({ id, key }) => [`g ${key}`, () => go(href(id))])),
  });
  if (problem?.status === 401 || problem?.status === 403) return <SignIn problem={problem} />;
  if (!me) return problem ? <Refused problem={problem} retry={reload} /> : null;
  return (
    <Caller.Provider value={me}>
      <div class={`frame ${menuOpen ? 'menu-open' : ''}`}>
        <Navigation current={route.page} openLayer={setLayer} />
        <div class="beside">
          <div class="top-bar">
            <button
              type="button"
              class="icon-button"
              aria-label="Menu"
              aria-expanded={menuOpen}
              onClick={() => setMenuOpen(!menuOpen)}
            >
              <Icon name="menu" />
            </button>
            <b>{entry?.title}</b>
            <button
              type="button"
              class="icon-button"
              aria-label="Search"
              onClick={() => setLayer('palette')}
            >
              <Icon name="search" />
            </button>
          </div>
          <main id="main" tabIndex={-1}>
            <Boundary key={route.page}>
              {entry ? (
                <LoadedPage entry={entry} route={route} />
              ) : (
                <Empty title="There is no such page" />
              )}
            </Boundary>
          </main>
        </div>
        {layer === 'palette' && <Palette close={() => setLayer(undefined)} />}
        {layer === 'help' && <Help close={() => setLayer(undefined)} />}
      </div>
    </Caller.Provider>
  );
}

function useCaller(): { me: Me | undefined; problem: Problem | undefined; reload(): void } {
  const { data, problem, reload } = useAnswer(
    () => api().projects.get({ query: { include: ['caller'] } }),
    [],
  );
  const me = useMemo(() => {
    const [project] = (data as Having<typeof data, 'items'> | undefined)?.items ?? [];
    if (!project || !('caller' in project) || !project.caller) return undefined;
    return { project, caller: project.caller, reload };
  }, [data, reload]);
  return { me, problem, reload };
}

/** A page's code, loaded when it is first shown; its heading gets the focus when the page changes. */
function LoadedPage({ entry, route }: { entry: PageEntry; route: Route }) {
  const [page, setPage] = useState<{ Page: Page }>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    entry.load().then(setPage, () => setFailed(true));
  }, [entry]);
  useEffect(() => {
    document.title = `${[...route.rest.slice(0, 1), entry.title].join(' · ')} · pqrs`;
  });
  useEffect(() => {
    if (page) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }, [page, entry]);
  if (failed) return <Empty title="This page could not be loaded: is the server there?" />;
  return (
    <>
      <div class="hidden" role="status">
        {page && `${entry.title} shown`}
      </div>
      {page && <page.Page route={route} />}
    </>
  );
}

/** Keeps a fault of one page from taking the navigation with it. */
class Boundary extends Component<{ children: ComponentChildren }, { error?: unknown }> {
  override componentDidCatch(error: unknown) {
    console.error(error);
    this.setState({ error });
  }
  render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <Empty title="This page has a fault">
        <p class="mono">{String(this.state.error)}</p>
      </Empty>
    );
  }
}
