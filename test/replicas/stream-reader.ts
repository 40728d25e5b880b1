/** An event of a stream, with its message. */
export interface StreamEvent {
  readonly id: string | undefined;
  readonly message: Message | undefined;
}

export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly progress?: number; readonly uri?: string };
  readonly result?: { readonly content: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number };
}

/** Time without a byte after which a client takes a connection for broken, in milliseconds. */
const MAX_SILENCE = 4000;

/**
 * Reads the events of a response. It ends without an error when the connection breaks. `controller` aborts a connection
 * that is silent.
 */
export async function* readEvents(response: Response, controller?: AbortController): AsyncGenerator<StreamEvent> {
  const abort = () => controller?.abort();
  let timer = setTimeout(abort, MAX_SILENCE);
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const frames = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = frames.pop() ?? '';
      clearTimeout(timer);
      timer = setTimeout(abort, MAX_SILENCE);
      for (const frame of frames) {
        const id = /^id: (.*)$/m.exec(frame)?.[1];
        const data = /^data: (.+)$/m.exec(frame)?.[1];
        yield { id, message: data === undefined ? undefined : (JSON.parse(data) as Message) };
      }
    }
  } catch {
    // The connection is broken, or the test has ended.
  } finally {
    clearTimeout(timer);
  }
}
