import { isObject } from '@tenon/base';
import { useEffect, useState } from 'preact/hooks';
import type { CallDetail, Json } from '../api.js';
import { Icon } from './icons.js';
import { JsonTree } from './json-tree.js';
import { ForeignLink, Text } from './text.js';

/** Maximum size of an image or a sound that is decoded, in characters of base64. */
const MAX_BINARY = 14_000_000;
/** Length of a text that is shown at first. */
const MAX_TEXT = 20_000;
const MAX_TABLE_ROWS = 200;
const IMAGE_TYPES = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;

/** The result of a call: content, structured content, and issues of both. */
export function ResultView({ call }: { readonly call: CallDetail }) {
  const { error, result, issues } = call;
  if (error)
    return (
      <div class="result failed">
        <p class="state error">
          <Icon name="error" /> <Text value={error.cause} />
        </p>
        {error.fix && (
          <p class="dim">
            <Text value={error.fix} />
          </p>
        )}
        <p class="dim mono">
          {error.code}
          {error.rpcCode === undefined ? '' : ` ${error.rpcCode}`}
        </p>
        {error.data !== undefined && <JsonTree value={error.data} />}
      </div>
    );
  if (!result) return null;
  const content = Array.isArray(result.content) ? result.content.filter(isObject) : [];
  const contents = Array.isArray(result.contents) ? result.contents.filter(isObject) : [];
  const messages = Array.isArray(result.messages) ? result.messages.filter(isObject) : [];
  const { content: _, structuredContent, isError: __, _meta: ___, resultType: ____, ...rest } = result;
  const isKnown = content.length + contents.length + messages.length > 0 || structuredContent !== undefined;
  return (
    <div class="result">
      {content.map((block, index) => (
        <ContentBlock key={index} block={block} />
      ))}
      {structuredContent !== undefined && (
        <section>
          <h3>
            structuredContent{' '}
            {issues && (
              <span class={issues.length === 0 ? 'state ok' : 'state error'}>
                <Icon name={issues.length === 0 ? 'ok' : 'error'} />{' '}
                {issues.length === 0 ? 'matches outputSchema' : 'does not match outputSchema'}
              </span>
            )}
          </h3>
          <StructuredValue value={structuredContent} />
        </section>
      )}
      {issues?.map(issue => (
        <p class="issue" key={issue}>
          <Text value={issue} />
        </p>
      ))}
      {contents.map((resource, index) => (
        <ContentBlock key={index} block={{ type: 'resource', resource }} />
      ))}
      {messages.map(({ role, content: block }, index) => (
        <section key={index}>
          <h3>
            <Text value={String(role)} />
          </h3>
          {isObject(block) && <ContentBlock block={block} />}
        </section>
      ))}
      {!isKnown && <JsonTree value={rest} open={3} />}
    </div>
  );
}

function ContentBlock({ block }: { readonly block: Json }) {
  const { type, text, data, mimeType, uri, resource } = block;
  if (type === 'text' && typeof text === 'string') return <LongText text={text} />;
  if ((type === 'image' || type === 'audio') && typeof data === 'string')
    return <Binary data={data} type={String(mimeType)} />;
  if (type === 'resource_link' && typeof uri === 'string')
    return (
      <p>
        <ForeignLink address={uri} /> <span class="dim">{String(block.name ?? '')}</span>
      </p>
    );
  if (type === 'resource' && isObject(resource)) {
    return (
      <div>
        <p class="mono dim">
          <Text value={String(resource.uri)} />
        </p>
        {typeof resource.text === 'string' && <LongText text={resource.text} />}
        {typeof resource.blob === 'string' && <Binary data={resource.blob} type={String(resource.mimeType)} />}
      </div>
    );
  }
  return <JsonTree value={block} />;
}

function LongText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, MAX_TEXT);
  return (
    <pre class="text">
      <Text value={shown} />
      {shown.length < text.length && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          … {(text.length - shown.length).toLocaleString('en')} more characters
        </button>
      )}
    </pre>
  );
}

/** An image or a sound from its own bytes. Other types are named only: an SVG could contain scripts. */
function Binary({ data, type }: { readonly data: string; readonly type: string }) {
  const [address, setAddress] = useState('');
  const isImage = IMAGE_TYPES.test(type);
  const isSound = /^audio\/[\w.+-]+$/.test(type);
  useEffect(() => {
    if ((!isImage && !isSound) || data.length > MAX_BINARY) return;
    let created = '';
    try {
      const bytes = Uint8Array.from(atob(data), character => character.charCodeAt(0));
      created = URL.createObjectURL(new Blob([bytes], { type }));
      setAddress(created);
    } catch {
      // Text that is not base64 is described below.
    }
    return () => URL.revokeObjectURL(created);
  }, [data, type, isImage, isSound]);
  const size = `${Math.round((data.length * 3) / 4).toLocaleString('en')} bytes of ${type}`;
  return (
    <figure>
      {address !== '' && isImage && <img src={address} alt={size} />}
      {address !== '' && isSound && (
        // biome-ignore lint/a11y/useMediaCaption: a server sends no captions
        <audio src={address} controls />
      )}
      <figcaption class="dim">
        <Text value={size} />
      </figcaption>
    </figure>
  );
}

/** A list of objects as a table, and everything else as a tree. */
function StructuredValue({ value }: { readonly value: unknown }) {
  const members = isObject(value) ? Object.entries(value) : [];
  const [only] = members.length === 1 ? members : [];
  const list = Array.isArray(value) ? value : only && Array.isArray(only[1]) ? only[1] : undefined;
  const isTable = list !== undefined && list.length > 0 && list.every(isFlat);
  if (!isTable) return <JsonTree value={value} open={3} />;
  const rows = list.filter(isObject);
  const columns = [...new Set(rows.slice(0, MAX_TABLE_ROWS).flatMap(row => Object.keys(row)))].slice(0, 12);
  return (
    <div class="table">
      {only && <p class="mono dim">{only[0]}</p>}
      <table>
        <thead>
          <tr>
            {columns.map(column => (
              <th key={column}>
                <Text value={column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_TABLE_ROWS).map((row, index) => (
            <tr key={index}>
              {columns.map(column => (
                <td key={column}>
                  <Text value={formatCell(row[column])} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_TABLE_ROWS && <p class="dim">{rows.length - MAX_TABLE_ROWS} more rows in the message</p>}
    </div>
  );
}

const isFlat = (row: unknown): boolean =>
  isObject(row) &&
  Object.values(row).every(each => typeof each !== 'object' || each === null || JSON.stringify(each).length < 80);

const formatCell = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
