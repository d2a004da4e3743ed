// What can be wrong with a multipart body.
import { Problem } from '../../errors.ts';

/** The body is no complete, unambiguous multipart/form-data (RFC 7578, RFC 2046). */
export class MalformedMultipart extends Problem {
  override name = 'MalformedMultipart';
  /** @param detail a public text */
  constructor(detail: string) {
    super('malformed_body', detail);
  }
}

export class MultipartTooLarge extends Problem {
  override name = 'MultipartTooLarge';
  /** @param detail a public text */
  constructor(detail: string) {
    super('too_large', detail);
  }
}
