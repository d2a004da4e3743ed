// `pqrs openapi`: print the API document.
import { apiDocument } from '../../app.ts';
import { documentText } from '../../http/document/document.ts';
import { type Command, requirePositionals } from '../command.ts';

export const openapi: Command = {
  name: 'openapi',
  usage: '',
  help: 'Print the API document (OpenAPI, JSON).',
  options: {},
  settings: [],
  printsNoData: true,
  async run(call) {
    requirePositionals(call);
    process.stdout.write(documentText(await apiDocument()));
  },
};
