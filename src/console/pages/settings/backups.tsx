// The newest backups of the instance.
import { bytes, counted } from '../../core/format.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Card } from '../../parts/layout.tsx';
import { StatusIcon } from '../../parts/status.tsx';
import { Time } from '../../parts/text.tsx';
import type { Project } from './answers.ts';

const ROWS = 8;

export function Backups({ backups }: { backups: NonNullable<Project['backups']> }) {
  const { made, restoredAt } = backups;
  return (
    <Card
      title="Backups"
      aside={
        restoredAt && (
          <>
            restored as a test <Time at={restoredAt} />
          </>
        )
      }
    >
      {made.slice(0, ROWS).map(({ at, target, files, bytes: size, missing }) => (
        <div key={at} class="row">
          <StatusIcon status={missing > 0 ? 'suspect' : 'passing'} />
          <span class="grow">
            <Time at={at} />
            <span class="second small">
              , {target === 'folder' ? 'on schedule' : `to a ${target}`}
            </span>
          </span>
          <span class="second small">
            {counted(files, 'file')}, {bytes(size)}
            {missing > 0 && `, ${missing} missing`}
          </span>
        </div>
      ))}
      <div class="inside stack">
        {made.length === 0 && (
          <p class="second">
            <b class="strong">None yet.</b> One command makes a verified copy of database, files and
            settings while the service runs; <code>PQRS_BACKUP_DIR</code> makes them on a schedule.
          </p>
        )}
        <Copyable text="pqrs backup /mnt/backup/$(date +%F).pqrs" />
      </div>
    </Card>
  );
}
