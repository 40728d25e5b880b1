import type { Exchange, HeaderFields, ResponseStream } from 'tenon/http';

/** What a client was told. */
export interface ReceivedReply {
  readonly status: number;
  readonly text: string;
  readonly headers: HeaderFields;
}

/** A POST that needs no network. */
export class TestExchange implements Exchange {
  readonly method = 'POST';
  readonly path = '/mcp';
  readonly query = '';
  readonly mount = '';
  readonly remote = '127.0.0.1';
  readonly auth = undefined;
  readonly raw = undefined;
  readonly clientClosed = false;
  readonly response: Promise<ReceivedReply>;
  readonly #text: string;
  readonly #headers: HeaderFields;
  #tell: (result: ReceivedReply) => void = () => {};
  #onClosed: (() => void) | undefined;

  constructor(message: object, headers: HeaderFields) {
    this.#text = JSON.stringify(message);
    this.#headers = headers;
    this.response = new Promise(resolve => {
      this.#tell = resolve;
    });
  }

  header(name: string): string | undefined {
    return this.#headers[name];
  }

  body(_: number, read: (body: { readonly text: string }) => void): void {
    read({ text: this.#text });
  }

  /** A road writes headers out: nobody holds the very texts that the server made. */
  reply(status: number, text = '', headers: HeaderFields = {}): void {
    this.#tell({ status, text, headers: JSON.parse(JSON.stringify(headers)) });
  }

  /** What is written is told at once: the head of it shows that it began. */
  stream(status: number, headers: HeaderFields): ResponseStream {
    let text = '';
    const write = (more: string) => {
      text += more;
      this.#tell({ status, text, headers });
    };
    const done = () => this.#tell({ status, text, headers });
    return { bufferedAmount: 0, write, end: done, destroy: done };
  }

  onClientClosed(listener: () => void): void {
    this.#onClosed = listener;
  }

  /** The client goes away. */
  leave(): void {
    this.#onClosed?.();
  }
}
