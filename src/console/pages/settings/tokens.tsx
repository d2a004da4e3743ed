// Who may come in: tokens without their secrets, made and ended by owners.
import { useState } from 'preact/hooks';
import { useAction } from '../../core/api.ts';
import { useMe } from '../../frame/caller.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Card } from '../../parts/layout.tsx';
import { Refusal } from '../../parts/states.tsx';
import { Time } from '../../parts/text.tsx';
import { changeProject, type Token, useOwns } from './answers.ts';
import { TokenForm } from './token-form.tsx';

interface TokensProps {
  tokens: readonly Token[];
  changed(): void;
}

export function Tokens({ tokens, changed }: TokensProps) {
  const owns = useOwns();
  const [isMaking, setIsMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [withEnded, setWithEnded] = useState(false);
  const live = tokens.filter((token) => !isEnded(token));
  const ended = tokens.length - live.length;
  return (
    <Card
      title="Tokens"
      aside={
        owns &&
        !isMaking && (
          <button type="button" class="button compact" onClick={() => setIsMaking(true)}>
            New token
          </button>
        )
      }
    >
      {isMaking && (
        <TokenForm
          close={() => setIsMaking(false)}
          made={(text) => {
            setSecret(text);
            setIsMaking(false);
            changed();
          }}
        />
      )}
      {secret && (
        <div class="inside stack" role="status" data-secret>
          <p>
            <b class="strong">Copy it now:</b> it is shown this once.
          </p>
          <Copyable text={secret} />
          <div>
            <button type="button" class="button compact" onClick={() => setSecret(undefined)}>
              I have it
            </button>
          </div>
        </div>
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">Label</th>
            <th scope="col">May</th>
            <th scope="col" class="wide-only">
              Last used
            </th>
            <th scope="col">
              <span class="hidden">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {(withEnded ? tokens : live).map((token) => (
            <Row key={token.id} token={token} mayEnd={owns} changed={changed} />
          ))}
        </tbody>
      </table>
      {ended > 0 && (
        <button type="button" class="button more" onClick={() => setWithEnded(!withEnded)}>
          {withEnded ? 'Hide' : 'Show'} {ended} that ended
        </button>
      )}
    </Card>
  );
}

function isEnded({ revokedAt, expiresAt }: Token): boolean {
  return revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now());
}

interface RowProps {
  token: Token;
  mayEnd: boolean;
  changed(): void;
}

function Row({ token, mayEnd, changed }: RowProps) {
  const { project, caller } = useMe();
  const [isAsking, setIsAsking] = useState(false);
  const name = token.label ?? token.id;
  const revoke = useAction(async () => {
    await changeProject({ slug: project.slug, tokens: { revoke: [token.id] } });
    setIsAsking(false);
    changed();
  });
  const isOwn = token.id === caller.tokenId;
  const canEnd = mayEnd && !isOwn && !isEnded(token) && (!token.instance || caller.instance);
  return (
    <tr>
      <td>
        <b class="strong">{name}</b> {token.instance && <span class="tag plain">instance</span>}{' '}
        {token.readOnly && <span class="tag plain">read only</span>}
      </td>
      <td class="mono second">{token.capabilities.join(', ')}</td>
      <td class="wide-only second">
        <Time at={token.lastUsedAt} />
        {token.expiresAt && (
          <span class="block-line small">ends {token.expiresAt.slice(0, 10)}</span>
        )}
      </td>
      <td class="number">
        {isOwn && <span class="faint">you</span>}
        {isEnded(token) && <span class="faint">{token.revokedAt ? 'revoked' : 'expired'}</span>}
        {canEnd && (
          <button
            type="button"
            class="button compact"
            aria-label={`Revoke ${name}`}
            onClick={() => setIsAsking(true)}
          >
            Revoke
          </button>
        )}
        {isAsking && (
          <Confirm
            title={`Revoke the token ${name}`}
            action="Revoke"
            busy={revoke.busy}
            run={() => void revoke.run()}
            close={() => setIsAsking(false)}
          >
            <p>It ends at once, with every link made for it and every stream that it opened.</p>
            <Refusal problem={revoke.problem} />
          </Confirm>
        )}
      </td>
    </tr>
  );
}
