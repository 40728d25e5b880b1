import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { MessageView } from '../api.js';
import { shownRecording, toSessionPath } from '../console-state.js';
import { formatSize } from '../format.js';
import { callApi, describeFailure } from '../request.js';
import { HttpExchanges } from './http-exchanges.js';
import { JsonTree } from './json-tree.js';
import { reveal } from './masked-text.js';
import { RequestError } from './request-error.js';
import { Text } from './text.js';

/** Length of a text that is parsed and shown as a tree. */
const MAX_TREE = 256_000;

/** The body of a message, which the page reads when it is shown. */
export function MessageBody({ seq }: { readonly seq: number }) {
  const [message, setMessage] = useState<MessageView | null>(null);
  const [error, setError] = useState('');
  const isRecorded = shownRecording.value !== null;
  const [isRaw, setRaw] = useState(false);
  const shown = useRef(seq);
  shown.current = seq;
  const read = async (path: string) => {
    try {
      const found = await callApi<MessageView>('GET', path);
      // Meanwhile, the user may have chosen another message.
      if (shown.current !== seq) return;
      setMessage(found);
      setError('');
    } catch (thrown) {
      if (shown.current === seq) setError(describeFailure(thrown).cause);
    }
  };
  useEffect(() => {
    setMessage(null);
    void read(toSessionPath(`wire/${seq}`));
  }, [seq]);
  const { text = '', size = 0, isWhole = false, http = [] } = message ?? {};
  const isTree = !isRaw && isWhole && size <= MAX_TREE;
  const value: unknown = useMemo(() => (isTree ? JSON.parse(text) : undefined), [isTree, text]);
  if (error !== '') return <RequestError error={error} />;
  if (!message) return <p class="dim">…</p>;
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
          <JsonTree value={value} open={4} onReveal={isRecorded ? undefined : path => reveal(seq, { path })} />
        </div>
      ) : (
        <pre class="text">
          <Text value={text} />
        </pre>
      )}
    </div>
  );
}
