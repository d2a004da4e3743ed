// The console: a page of the API's own answers. It asks nobody but the server it came from.
import { render } from 'preact';
import { takeTokenFromAddress } from './core/session.ts';
import { App } from './frame/app.tsx';

takeTokenFromAddress();
addEventListener('hashchange', takeTokenFromAddress);
const root = document.getElementById('app');
if (root) render(<App />, root);
