// Signing in with a token: pasted, or the demo's where the server offers one.
import { useState } from 'preact/hooks';
import type { Problem } from '../core/api.ts';
import { signIn } from '../core/session.ts';
import icon from '../icon.svg' with { type: 'file' };
import { Refusal } from '../parts/states.tsx';

export function SignIn({ problem }: { problem?: Problem }) {
  const [stay, setStay] = useState(false);
  const demo = document.querySelector<HTMLMetaElement>('meta[name=pqrs-demo]')?.content;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get('token');
    if (typeof given === 'string' && given.trim() !== '') signIn(given.trim(), stay);
  };
  return (
    <main id="main" class="sign-in">
      <form class="card" onSubmit={submit}>
        <img src={icon} alt="" width={40} height={40} />
        <h1>Sign in to pqrs</h1>
        <Refusal problem={problem} />
        <label>
          Token
          <input
            class="input"
            name="token"
            type="password"
            autocomplete="current-password"
            required
            spellcheck={false}
          />
        </label>
        <label class="line">
          <input type="checkbox" checked={stay} onChange={() => setStay(!stay)} />
          Stay signed in on this computer
        </label>
        <button type="submit" class="button primary">
          Sign in
        </button>
        {demo && (
          <button type="button" class="button" onClick={() => signIn(demo, false)}>
            Look at the demo
          </button>
        )}
        <p class="faint">
          A token names a project and what you may do in it. The first start prints the owner's;{' '}
          <code>pqrs token create</code> makes others. It stays in this browser.
        </p>
      </form>
    </main>
  );
}
