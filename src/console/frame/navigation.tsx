// The navigation on the left: pages, the search, who is signed in.
import { href } from '../core/route.ts';
import { signOut } from '../core/session.ts';
import { switchTheme } from '../core/theme.ts';
import icon from '../icon.svg' with { type: 'file' };
import { PAGE_GROUPS } from '../pages/pages.ts';
import { Icon } from '../parts/icons.tsx';
import { useMe } from './caller.ts';

interface NavigationProps {
  current: string;
  openLayer(layer: 'palette' | 'help'): void;
}

export function Navigation({ current, openLayer }: NavigationProps) {
  const { project, caller } = useMe();
  return (
    <nav class="navigation" aria-label="Main">
      <a class="brand" href={href('overview')}>
        <img src={icon} alt="" />
        <span>
          <b>{project.name}</b>
          <small>
            revision {project.revision}, {project.slug}
          </small>
        </span>
      </a>
      <button type="button" class="find" onClick={() => openLayer('palette')}>
        <Icon name="search" />
        <span>Search or go to</span>
        <kbd>Ctrl K</kbd>
      </button>
      {PAGE_GROUPS.map(({ title, pages }) => (
        <div key={title} class="group">
          {title && <h2>{title}</h2>}
          {pages.map(({ id, title: name, icon: symbol }) => (
            <a
              key={id}
              href={href(id)}
              title={name}
              aria-current={id === current ? 'page' : undefined}
            >
              <Icon name={symbol} />
              <span>{name}</span>
            </a>
          ))}
        </div>
      ))}
      <div class="foot">
        <span class="who">
          <b>{caller.label ?? caller.tokenId}</b>
          <small>{caller.capabilities.join(', ')}</small>
        </span>
        <IconButton icon="theme" name="Light or dark" press={switchTheme} />
        <IconButton icon="help" name="Keys" press={() => openLayer('help')} />
        <IconButton icon="signOut" name="Sign out" press={signOut} />
      </div>
    </nav>
  );
}

interface IconButtonProps {
  icon: 'theme' | 'help' | 'signOut';
  name: string;
  press(): void;
}

function IconButton({ icon: symbol, name, press }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" title={name} aria-label={name} onClick={press}>
      <Icon name={symbol} />
    </button>
  );
}
