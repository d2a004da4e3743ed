// The bill of materials (CycloneDX, JSON): npm's, with Bun, and without what is in no executable.
import { createHash } from 'node:crypto';
import { bundledPackages } from './notice.ts';
import { npm } from './packages.ts';

interface Component {
  'bom-ref': string;
  name: string;
  [field: string]: unknown;
}

interface Sbom {
  serialNumber: string;
  metadata: { timestamp: string; component: Component; [field: string]: unknown };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
  [field: string]: unknown;
}

interface Bundled {
  version: string;
  bunVersion: string;
  /** libSQL's packages of the platforms that were built. */
  platformPackages: string[];
  mtime: number;
}

/** @throws when npm makes none, as before 9.5 */
export function sbomText({ version, bunVersion, platformPackages, mtime }: Bundled): string {
  const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const sbom: Sbom = JSON.parse(npm(['sbom', ...options, '--omit', 'dev', '--package-lock-only']));
  const bun = {
    'bom-ref': `bun@${bunVersion}`,
    type: 'framework',
    name: 'bun',
    version: bunVersion,
    scope: 'required',
    purl: `pkg:npm/bun@${bunVersion}`,
    licenses: [{ license: { id: 'MIT' } }],
  };
  const bundled = new Set([...bundledPackages().map(({ name }) => name), ...platformPackages]);
  const components = [bun, ...sbom.components.filter(({ name }) => bundled.has(name))];
  const refs = new Set(components.map((one) => one['bom-ref']));
  const { component } = sbom.metadata;
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref) || ref === component['bom-ref'])
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
  dependencies.find(({ ref }) => ref === component['bom-ref'])?.dependsOn.push(bun['bom-ref']);
  dependencies.push({ ref: bun['bom-ref'], dependsOn: [] });
  const made = {
    ...sbom,
    // Named after the release, so that the same release has the same document.
    serialNumber: `urn:uuid:${uuidOf(`pqrs ${version} ${mtime} ${[...refs].join(' ')}`)}`,
    metadata: {
      ...sbom.metadata,
      timestamp: new Date(mtime * 1000).toISOString(),
      component: { ...component, name: 'pqrs' },
    },
    components,
    dependencies,
  };
  return `${JSON.stringify(made, null, 2)}\n`;
}

/** RFC 9562, version 8: of a hash of our own. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
