// `pqrs doctor`: what is wrong with a data folder, with what to do about it. A running server looks
// at its own; without one the folder is opened here, however damaged it is.
import { join } from 'node:path';
import type { DoctorReport } from '../../operations/doctor/doctor.ts';
import type { Finding } from '../../operations/doctor/inspect.ts';
import { prepareNative } from '../../runtime/native.ts';
import { existingDataFolder } from '../administration/data-folder.ts';
import { runAdministration } from '../administration/run.ts';
import { type Command, type CommandCall, plainText, UsageError } from '../command.ts';

const MAX_SHOWN = 20;

export const doctor: Command = {
  name: 'doctor',
  usage: '[--repair [--sweep]]',
  help: 'Check database, files, keys and permissions; exit with 1 where an error or a warning is left.',
  options: {
    repair: { kind: 'switch', help: 'repair what can be made again; deletes no content' },
    sweep: { kind: 'switch', help: 'move files that no row names to files/trash, however many' },
  },
  async run(call) {
    if (call.switched('sweep') && !call.switched('repair'))
      throw new UsageError('--sweep goes with --repair');
    const report = await examine(call);
    const left = report.findings.filter(({ severity }) => severity !== 'info').length;
    if (left > 0) process.exitCode = 1;
    return { data: { ok: left === 0, ...report }, lines: linesOf(report).map(plainText) };
  },
};

async function examine(call: CommandCall): Promise<DoctorReport> {
  const { config } = call;
  const repair = call.switched('repair');
  const options = { repair, sweep: call.switched('sweep') };
  const dataDir = existingDataFolder(config.dataDir);
  const { askServer } = await import('../administration/socket.ts');
  const asked = await askServer(dataDir, 'doctor', options);
  if (asked) return asked.result;
  if (config.databaseUrl !== undefined) return runAdministration(call, 'doctor', options);
  const { inspect } = await import('../../operations/doctor/inspect.ts');
  const { repairFolder } = await import('../../operations/doctor/doctor.ts');
  const { takeLock } = await import('../../store/client/embedded.ts');
  // A folder that was just restored has no lock as yet.
  process.umask(0o077);
  prepareNative(dataDir);
  const unlock = takeLock(join(dataDir, 'lock.db'));
  try {
    const job = { dataDir, freeDiskBytes: config.limits.freeDiskBytes, now: Date.now() };
    const findings = await inspect(job);
    if (!repair) return { repairs: [], findings };
    if (!opens(findings))
      return { repairs: await repairFolder(dataDir, findings), findings: await inspect(job) };
  } finally {
    unlock();
  }
  return runAdministration(call, 'doctor', options);
}

function opens(findings: Finding[]): boolean {
  const reasons = ['database_missing', 'database_damaged', 'database_newer', 'folder_identity'];
  return !findings.some(({ code }) => reasons.includes(code));
}

function linesOf({ repairs, findings }: DoctorReport): string[] {
  const lines = repairs.slice(0, MAX_SHOWN).map(({ done }) => `repaired: ${done}`);
  if (repairs.length > MAX_SHOWN) lines.push(`repaired: ${repairs.length - MAX_SHOWN} more`);
  for (const some of Map.groupBy(findings, ({ code }) => code).values()) {
    for (const { severity, code, subject, detail, repair } of some.slice(0, MAX_SHOWN)) {
      lines.push(`${severity} ${code}: ${subject}: ${detail}`);
      if (repair) lines.push(`  ${repair}`);
    }
    const more = some.length - MAX_SHOWN;
    if (more > 0)
      lines.push(`${some[0]?.severity} ${some[0]?.code}: and ${more} more (see --json)`);
  }
  return findings.length === 0 ? [...lines, 'nothing is wrong'] : lines;
}
