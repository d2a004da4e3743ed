// How the database answers: the steps of the plans of all statements that some work makes.
import type { Client, InStatement } from '@libsql/client';
import type { Instance } from './instance.ts';

export async function queryPlans(instance: Instance, work: () => Promise<void>): Promise<string[]> {
  const { read } = instance.evidence.database;
  const { client } = (read as unknown as { session: { client: Client } }).session;
  const execute = client.execute.bind(client);
  const asked: InStatement[] = [];
  client.execute = ((statement: InStatement) => {
    asked.push(statement);
    return execute(statement);
  }) as typeof client.execute;
  try {
    await work();
  } finally {
    client.execute = execute;
  }
  const steps: string[] = [];
  for (const statement of asked) {
    const { sql, args } =
      typeof statement === 'string' ? { sql: statement, args: [] } : { args: [], ...statement };
    const { rows } = await execute({ sql: `explain query plan ${sql}`, args });
    steps.push(...rows.map((row) => String(row[3])));
  }
  return steps;
}
