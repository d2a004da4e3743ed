// The executable's entry: the first argument is the command.
import { VERSION } from './version.ts';

if (process.argv[2] === 'version') console.log(`pqrs ${VERSION}`);
else process.exitCode = 2;
