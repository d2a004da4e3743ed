import { clock } from '../../core/format.ts';
import type { Connection } from './follow.ts';

interface ConnectionNoteProps {
  connection: Connection;
  /** When what is shown was last known to be so. */
  asOf: string | undefined;
}

/** Whether what is shown is of now. */
export function ConnectionNote({ connection, asOf }: ConnectionNoteProps) {
  const text = {
    connecting: 'connecting',
    connected: 'connected',
    lost: `not connected, trying again${asOf ? `; this is of ${clock(asOf)} UTC` : ''}`,
  }[connection];
  return (
    <span class="connection" role="status" data-connection={connection}>
      <i aria-hidden="true" />
      {text}
    </span>
  );
}
