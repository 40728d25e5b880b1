import { toJsonObject } from '@tenon/base';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { InputAction, InputRequestView, Json } from '../api.js';
import { callApi } from '../request.js';
import { toServerPath } from '../route.js';
import { createInitialValue } from '../schema/initial-value.js';
import { ForOperator } from './for-operator.js';
import { createPartSource } from './json-parts.js';
import { JsonTree } from './json-tree.js';
import { RequestError, useRequest } from './request-error.js';
import { SchemaForm } from './schema-form.js';
import { ForeignLink, Text } from './text.js';
import { TimeLeft } from './time-left.js';

const TITLES: Readonly<Record<InputRequestView['kind'], string>> = {
  form: 'elicitation',
  url: 'elicitation by URL',
  sampling: 'sampling',
  roots: 'roots',
  approval: 'approval',
};

const ACCEPT: Readonly<Record<InputRequestView['kind'], string>> = {
  form: 'Send',
  url: 'I have opened it',
  sampling: 'Send message',
  roots: 'Send folders',
  approval: 'Allow',
};

/** An open input request with the controls for its response. */
export function InputForm({ request }: { readonly request: InputRequestView }) {
  const { id, kind, server, message, details, url, params, expiresAt } = request;
  const schema = getSchema(request);
  const [value, setValue] = useState<unknown>(schema ? createInitialValue(schema, schema) : {});
  const [error, run] = useRequest();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // An input request within a call gets its response next. The inbox has several of them.
    if (request.call === null) return;
    const fields = form.current?.querySelector<HTMLElement>('input, textarea, select');
    (fields ?? form.current?.querySelector<HTMLElement>('button'))?.focus();
  }, [request.call]);
  const send = (action: InputAction) =>
    run(async () => {
      await callApi('POST', `input-requests/${id}`, {
        action,
        ...(action === 'accept' ? { content: toContent(kind, value) } : {}),
      });
    });
  return (
    <form
      class="input-form"
      ref={form}
      aria-label={`${TITLES[kind]} of ${server}`}
      onSubmit={event => {
        event.preventDefault();
        void send('accept');
      }}
    >
      <div class="input-head">
        <span class="state waiting">{TITLES[kind]}</span>
        <a class="mono" href={toServerPath(server)}>
          <Text value={server} />
        </a>
        {request.call !== null && <a href={`/call/${request.call}`}>call {request.call}</a>}
        {expiresAt !== null && (
          <span class="dim">
            <TimeLeft end={expiresAt} /> left, until {new Date(expiresAt).toLocaleTimeString()}
          </span>
        )}
      </div>
      <p class="message">
        <Text value={message} />
      </p>
      {details !== null && (
        <pre class="text">
          <Text value={details} />
        </pre>
      )}
      {url !== null && <ForeignLink address={url} />}
      {params !== null && <JsonTree value={params} source={createPartSource(request.cuts, null)} open={4} />}
      <ForOperator>
        {schema && (
          <SchemaForm schema={schema} root={schema} value={value} onChange={setValue} path={`request-${id}`} />
        )}
        <RequestError error={error} />
        <div class="actions">
          <button type="submit" class="primary">
            {ACCEPT[kind]}
          </button>
          <button type="button" onClick={() => void send('decline')}>
            {kind === 'approval' ? 'Refuse' : 'Decline'}
          </button>
          {kind !== 'approval' && (
            <button type="button" onClick={() => void send('cancel')}>
              Cancel
            </button>
          )}
        </div>
      </ForOperator>
    </form>
  );
}

function getSchema({ kind, schema }: InputRequestView): Json | null {
  if (kind === 'sampling')
    return {
      type: 'object',
      properties: { text: { type: 'string', maxLength: 100_000 }, model: { type: 'string', default: 'person' } },
      required: ['text', 'model'],
    };
  if (kind === 'roots')
    return {
      type: 'object',
      properties: {
        roots: { type: 'array', items: { type: 'string', format: 'uri', examples: ['file:///home/me/project'] } },
      },
      required: ['roots'],
    };
  return kind === 'form' ? schema : null;
}

function toContent(kind: InputRequestView['kind'], value: unknown): Json {
  const content = toJsonObject(value);
  if (kind !== 'roots' || !Array.isArray(content.roots)) return content;
  return { roots: content.roots.filter(uri => uri !== '').map(uri => ({ uri })) };
}
