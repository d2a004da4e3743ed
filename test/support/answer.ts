// An answer of the service in a test: read whole, and checked for what every answer must hold.
import { expect } from 'bun:test';

/** An answer, read to its end. */
export interface Answer {
  /** What was asked, for messages: `GET /issues as owner`. */
  asked: string;
  status: number;
  headers: Headers;
  bytes: Uint8Array;
  /** The body as text. */
  text: string;
  /** The body as JSON of a shape that the caller knows. */
  json<T = Record<string, unknown>>(): T;
  /** This answer, if it has the status. @throws with the body in the message, if not */
  must(status: number): Answer;
  /** This answer, if it is a problem of the code, which points at the place. */
  mustBe(status: number, code: string, pointer?: string): Answer;
  /** The id in its body. */
  readonly id: string;
  /** The header, which must be there. */
  header(name: string): string;
}

/** Reads a response. */
export async function readAnswer(asked: string, response: Response): Promise<Answer> {
  return answerOf(asked, response.status, response.headers, await response.bytes());
}

/** An answer of its parts. */
export function answerOf(
  asked: string,
  status: number,
  headers: Headers,
  bytes: Uint8Array,
): Answer {
  const text = new TextDecoder().decode(bytes);
  const answer: Answer = {
    asked,
    status,
    headers,
    bytes,
    text,
    json: <T>() => JSON.parse(text) as T,
    must(wanted) {
      if (status === wanted) return answer;
      throw new Error(`${asked} was ${status}, not ${wanted}: ${text.slice(0, 600)}`);
    },
    mustBe(wanted, code, pointer) {
      answer.must(wanted);
      expect(answer.json()).toMatchObject({ code, status: wanted });
      if (pointer !== undefined) expect(text).toContain(`"pointer":"${pointer}"`);
      return answer;
    },
    get id() {
      return answer.json<{ id: string }>().id;
    },
    header(name) {
      const value = headers.get(name);
      if (value === null) throw new Error(`${asked} answered without the header ${name}`);
      return value;
    },
  };
  return answer;
}
