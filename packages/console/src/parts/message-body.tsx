import { useEffect, useState } from 'preact/hooks';
import type { MessageView } from '../api.js';
import { shownRecording, toSessionPath } from '../console-state.js';
import { formatSize } from '../format.js';
import { callApi, describeFailure } from '../request.js';
import { HttpExchanges } from './http-exchanges.js';
import { JsonTree } from './json-tree.js';
import { reveal } from './masked-text.js';
import { Text } from './text.js';

/** Length of a text that is parsed and shown as a tree. */
const MAX_TREE = 256_000;

/** The body of a message, which the page reads when it is shown. */
export function MessageBody({ seq }: { readonly seq: number }) {
  const [message, setMessage] = useState<MessageView | null>(null);
  const [error, setError] = useState('');
  const isRecorded = shownRecording.value !== null;
  const [isRaw, setRaw] = useState(false);
  const read = async (path: string) => {
    try {
      setMessage(await callApi<MessageView>('GET', path));
      setError('');
    } catch (thrown) {
      setError(describeFailure(thrown).cause);
    }
  };
  useEffect(() => {
    setMessage(null);
    void read(toSessionPath(`wire/${seq}`));
  }, [seq]);
  if (error !== '') return <p class="issue">{error}</p>;
  if (!message) return <p class="dim">…</p>;
  const { text, size, isWhole, http } = message;
  const isTree = !isRaw && isWhole && size <= MAX_TREE;
  return (
    <div class="body">
      <div class="body-tools">
        <button type="button" class="quiet" onClick={() => setRaw(!isRaw)} disabled={!isWhole || size > MAX_TREE}>
          {isTree ? 'Text' : 'Tree'}
        </button>
        <button type="button" class="quiet" onClick={() => void navigator.clipboard.writeText(text)}>
          Copy
        </button>
        {!isWhole && (
          <button type="button" class="link" onClick={() => void read(toSessionPath(`wire/${seq}?whole`))}>
            first {formatSize(text.length)} of {formatSize(size)} characters; read all
          </button>
        )}
      </div>
      <HttpExchanges seq={message.row.request ?? seq} exchanges={http} />
      {isTree ? (
        <div class="tree">
          <JsonTree
            value={JSON.parse(text)}
            open={4}
            onReveal={isRecorded ? undefined : path => reveal(seq, { path })}
          />
        </div>
      ) : (
        <pre class="text">
          <Text value={text} />
        </pre>
      )}
    </div>
  );
}
