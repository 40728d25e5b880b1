import { type Answer, type Fields, json, UNKEPT } from './exchange.js';

/** An answer of OAuth that says no. The words are for developers of clients and hold nothing of what was sent. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly error: string;
  readonly status: number;
  readonly headers: Fields;

  constructor(error: string, description: string, status = 400, headers: Fields = {}) {
    super(description);
    this.error = error;
    this.status = status;
    this.headers = headers;
  }
}

/** https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
export function refusalAnswer({ error, message, status, headers }: Refusal): Answer {
  return json(status, { error, error_description: message }, { ...UNKEPT, ...headers });
}
