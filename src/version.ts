// The version of pqrs, as package.json states it. It is read when the executable is built.
import manifest from '../package.json' with { type: 'json' };

/** The version of this pqrs, for example `1.2.3`. */
export const VERSION: string = manifest.version;
