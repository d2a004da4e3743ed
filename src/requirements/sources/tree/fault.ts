/** What a file holds that its parser refuses: the message is the parser's, the line from 1. */
export class SourceFault extends Error {
  override name = 'SourceFault';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}
