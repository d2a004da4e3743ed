// The doctor of an instance whose database is on a libSQL server.
import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { runDoctor } from '../../src/operations/doctor/doctor.ts';
import { openInstance } from '../support/instance.ts';
import { fillKeyed, lostOf } from '../support/keyed-instance.ts';
import { sqldMissing, startPrimary } from '../support/sqld.ts';

const missing = sqldMissing();
if (missing) console.log(`Skipped: ${missing}.`);

test.skipIf(missing !== undefined)(
  'finds and mends what rows say wrongly [PQRS-91]',
  async () => {
    const primary = await startPrimary();
    const instance = await openInstance({ 'database-url': primary.url });
    const { evidence } = instance;
    const keyed = await fillKeyed(instance);
    expect(await runDoctor(evidence, { repair: false })).toEqual({ repairs: [], findings: [] });
    await evidence.database.write((db) => db.run(sql`update issues set occurrences = 9`));
    const found = await runDoctor(evidence, { repair: false });
    expect(found.findings.map(({ code }) => code)).toEqual(['counter_wrong']);
    await evidence.database.write((db) => db.run(sql`update issues set occurrences = 1`));
    await evidence.database.write((db) => db.run(sql`delete from issues_text`));
    await evidence.database.write((db) =>
      db.run(sql`insert into issues_text (rowid, title) values (9999, 'gone')`),
    );
    const { repairs, findings } = await runDoctor(evidence, { repair: true });
    expect(repairs.map(({ code }) => code)).toEqual(['search_wrong']);
    expect(findings).toEqual([]);
    expect(await lostOf(instance, keyed)).toEqual([]);
    await instance.close();
    await primary.stop();
  },
  60_000,
);
