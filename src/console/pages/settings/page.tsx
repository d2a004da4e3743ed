// The project and the service: what it is set to, who may come in, whether all is well.
import { href } from '../../core/route.ts';
import { useMe } from '../../frame/caller.ts';
import { PageHead } from '../../parts/layout.tsx';
import { Load } from '../../parts/states.tsx';
import { useOwn } from './answers.ts';
import { Backups } from './backups.tsx';
import { Baselines } from './baselines.tsx';
import { Health } from './health.tsx';
import { Preferences } from './preferences.tsx';
import { ProjectCard } from './project.tsx';
import { Tokens } from './tokens.tsx';

export function Page() {
  const { project, reload } = useMe();
  const own = useOwn();
  const changed = () => {
    own.reload();
    reload();
  };
  return (
    <>
      <PageHead title="Settings" sub={`${project.name}, ${project.slug}`}>
        <a class="button" href="/docs" target="_blank" rel="noopener">
          API
        </a>
        <a class="button" href={href('gate')}>
          Gate
        </a>
      </PageHead>
      <div class="halves">
        <div class="stack">
          <Health />
          <Load answer={own}>
            {({ backups }) => (backups ? <Backups backups={backups} /> : null)}
          </Load>
          <Preferences />
        </div>
        {own.data && (
          <div class="stack">
            {own.data.tokens && <Tokens tokens={own.data.tokens} changed={changed} />}
            <Baselines project={own.data} changed={changed} />
            <ProjectCard project={own.data} />
          </div>
        )}
      </div>
    </>
  );
}
