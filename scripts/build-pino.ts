// The build's change to pino: its transports, which are threads of their own, are left out. The
// service writes its log itself, and loading what they need takes a part of every start.
import type { BunPlugin } from 'bun';

const REFUSAL = `module.exports = class {
  constructor() {
    throw new Error('this build of pino has no transports');
  }
};`;

/** A bundler plugin that puts a refusal in the place of pino's threads. */
export function withoutTransports(): BunPlugin {
  return {
    name: 'without-transports',
    setup(build) {
      build.onLoad({ filter: /[\\/]node_modules[\\/]thread-stream[\\/]index\.js$/ }, () => ({
        contents: REFUSAL,
        loader: 'js',
      }));
    },
  };
}
