import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { MessageText, MessageView } from '../api.js';
import { shownRecording, toSessionPath } from '../console-state.js';
import { callApi, describeFailure } from '../request.js';
import { HttpExchanges } from './http-exchanges.js';
import { createPartSource } from './json-parts.js';
import { JsonTree, MoreText } from './json-tree.js';
import { reveal } from './masked-text.js';
import { RequestError } from './request-error.js';
import { Text } from './text.js';

/** Length of the pieces of a text that is shown. */
const TEXT_STEP = 64_000;
/** Length of the pieces of a text that is read whole. */
const MAX_PIECE = 1_000_000;

/** Reads a piece of the JSON text of a message. */
const readPiece = (seq: number, from: number, size: number): Promise<MessageText> =>
  callApi('GET', `${toSessionPath(`wire/${seq}`)}/text?from=${from}&size=${size}`);

/** Reads the JSON text of a message in pieces, so that no piece keeps the page from its work. */
export async function readMessageText(seq: number): Promise<string> {
  let text = '';
  for (;;) {
    const piece = await readPiece(seq, text.length, MAX_PIECE);
    text += piece.text;
    if (piece.text === '' || text.length >= piece.size) return text;
  }
}

/** The body of a message, which the page reads when it is shown. */
export function MessageBody({ seq }: { readonly seq: number }) {
  const [message, setMessage] = useState<MessageView | null>(null);
  const [error, setError] = useState('');
  const isRecorded = shownRecording.value !== null;
  const [isRaw, setRaw] = useState(false);
  const shown = useRef(seq);
  shown.current = seq;
  useEffect(() => {
    setMessage(null);
    callApi<MessageView>('GET', toSessionPath(`wire/${seq}`)).then(
      found => {
        // Meanwhile, the user may have chosen another message.
        if (shown.current !== seq) return;
        setMessage(found);
        setError('');
      },
      thrown => {
        if (shown.current === seq) setError(describeFailure(thrown).cause);
      },
    );
  }, [seq]);
  const source = useMemo(
    () => createPartSource(message?.cuts ?? [], `${toSessionPath(`wire/${seq}`)}/part`),
    [message, seq],
  );
  if (error !== '') return <RequestError error={error} />;
  if (!message) return <p class="dim">…</p>;
  const copy = async () => navigator.clipboard.writeText(await readMessageText(seq));
  return (
    <div class="body">
      <div class="body-tools">
        <button type="button" class="quiet" onClick={() => setRaw(!isRaw)}>
          {isRaw ? 'Tree' : 'Text'}
        </button>
        <button type="button" class="quiet" onClick={() => void copy().catch(() => {})}>
          Copy
        </button>
      </div>
      <HttpExchanges seq={message.row.request ?? seq} exchanges={message.http} />
      {isRaw ? (
        <MessageTextView key={seq} seq={seq} size={message.size} />
      ) : (
        <div class="tree">
          <JsonTree
            key={seq}
            value={message.value}
            source={source}
            open={4}
            onReveal={isRecorded ? undefined : path => reveal(seq, { path })}
          />
        </div>
      )}
    </div>
  );
}

/** The JSON text of a message, in steps. */
function MessageTextView({ seq, size }: { readonly seq: number; readonly size: number }) {
  const [text, setText] = useState('');
  const read = () =>
    void readPiece(seq, text.length, TEXT_STEP).then(
      piece => setText(text + piece.text),
      () => {},
    );
  useEffect(read, []);
  return (
    <pre class="text">
      <Text value={text} />
      {text !== '' && <MoreText left={size - text.length} showMore={read} />}
    </pre>
  );
}
