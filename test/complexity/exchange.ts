import type { Exchange, HeaderFields, ResponseStream } from 'tenon/http';

/** Response of a server. */
export interface ReceivedResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: HeaderFields;
}

/** A POST without a network. */
export class TestExchange implements Exchange {
  readonly method = 'POST';
  readonly path = '/mcp';
  readonly query = '';
  readonly mount = '';
  readonly remote = '127.0.0.1';
  readonly auth = undefined;
  readonly raw = undefined;
  readonly clientClosed = false;
  readonly response: Promise<ReceivedResponse>;
  readonly #text: string;
  readonly #headers: HeaderFields;
  #resolve: (result: ReceivedResponse) => void = () => {};

  constructor(message: object, headers: HeaderFields) {
    this.#text = JSON.stringify(message);
    this.#headers = headers;
    this.response = new Promise(resolve => {
      this.#resolve = resolve;
    });
  }

  header(name: string): string | undefined {
    return this.#headers[name];
  }

  body(_: number, read: (body: { readonly text: string }) => void): void {
    read({ text: this.#text });
  }

  /** Headers are copied, as a network copies them, so that no text of the server stays in memory. */
  reply(status: number, text = '', headers: HeaderFields = {}): void {
    this.#resolve({ status, text, headers: JSON.parse(JSON.stringify(headers)) });
  }

  /** The response resolves with the first write, which shows that the stream is open. */
  stream(status: number, headers: HeaderFields): ResponseStream {
    let text = '';
    const write = (more: string) => {
      text += more;
      this.#resolve({ status, text, headers });
    };
    const done = () => this.#resolve({ status, text, headers });
    return { bufferedAmount: 0, write, end: done, destroy: done };
  }

  /** The client stays connected. */
  onClientClosed(): void {}
}
