// Gives every test a minute, where Bun gives 5 s: no test is about how long something takes. Bun has
// no setting for it, and `setDefaultTimeout` holds for the file that calls it alone.
import { plugin } from 'bun';

const CALL =
  "import { setDefaultTimeout as setTimeoutOfFile } from 'bun:test'; setTimeoutOfFile(60_000);";

plugin({
  name: 'test timeout',
  setup(build) {
    build.onLoad({ filter: /\.test\.ts$/ }, async ({ path }) => ({
      // On the first line, so that every line keeps its number.
      contents: `${CALL} ${await Bun.file(path).text()}`,
      loader: 'ts',
    }));
  },
});
