import { isObject, toJsonObject } from '@tenon/base';
import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { CallDetail, Json } from '../api.js';
import { toSessionPath } from '../console-state.js';
import { Icon } from './icons.js';
import { createPartSource, type PartSource, readWholeText, useMembers, useText } from './json-parts.js';
import { JsonTree, MoreMembers, MoreText } from './json-tree.js';
import { ForeignLink, Text } from './text.js';

/** Maximum size of an image or a sound that is decoded, in characters of base64. */
const MAX_BINARY = 14_000_000;
/** Length of a text that is shown at first, and of each further piece. */
const TEXT_LENGTHS = { first: 20_000, step: 50_000 };
/** Length of the base64 that is decoded at once. */
const DECODE_STEP = 1_000_000;
/** Members of a result that the page shows in another form, or that belong to the protocol. */
const KNOWN_MEMBERS = new Set(['content', 'structuredContent', 'isError', '_meta', 'resultType']);
/** Positions of the result and of the data of an error in the values of a call. */
const [RESULT, ERROR_DATA] = [1, 2];

/** Place of a value in the values of a call. */
interface Place {
  readonly at: readonly number[];
  readonly source: PartSource;
}
const IMAGE_TYPES = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;

/** The result of a call: content, structured content, and issues of both. */
export function ResultView({ call }: { readonly call: CallDetail }) {
  const { error, result, issues, cuts, id } = call;
  const source = useMemo(() => createPartSource(cuts, `${toSessionPath(`calls/${id}`)}/part`), [cuts, id]);
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
        {error.data !== undefined && <JsonTree value={error.data} at={[ERROR_DATA]} source={source} />}
      </div>
    );
  if (!result) return null;
  const { structuredContent } = result;
  const names = Object.keys(result);
  const place = (name: string): Place => ({ at: [RESULT, names.indexOf(name)], source });
  const isKnown =
    [result.content, result.contents, result.messages].some(list => Array.isArray(list) && list.some(isObject)) ||
    structuredContent !== undefined;
  return (
    <div class="result">
      {Array.isArray(result.content) && (
        <BlockList
          list={result.content}
          place={place('content')}
          render={(block, own) => <ContentBlock block={block} place={own} />}
        />
      )}
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
          <StructuredValue value={structuredContent} place={place('structuredContent')} />
        </section>
      )}
      {issues?.map(issue => (
        <p class="issue" key={issue}>
          <Text value={issue} />
        </p>
      ))}
      {Array.isArray(result.contents) && (
        <BlockList
          list={result.contents}
          place={place('contents')}
          render={(resource, own) => <ResourceContent resource={resource} place={own} />}
        />
      )}
      {Array.isArray(result.messages) && (
        <BlockList
          list={result.messages}
          place={place('messages')}
          render={(message, own) => <PromptMessage message={message} place={own} />}
        />
      )}
      {!isKnown && <JsonTree value={result} omitted={KNOWN_MEMBERS} open={3} at={[RESULT]} source={source} />}
    </div>
  );
}

interface BlockListProps {
  readonly list: readonly unknown[];
  readonly place: Place;
  readonly render: (block: Json, place: Place) => ComponentChildren;
}

function BlockList({ list, place: { at, source }, render }: BlockListProps) {
  const shown = useMembers(list, at, source);
  return (
    <>
      {shown.members.map(([, block], index) => (
        <Fragment key={index}>
          {isObject(block) && render(block, { at: [...at, index], source: shown.source ?? source })}
        </Fragment>
      ))}
      <MoreMembers shown={shown} />
    </>
  );
}

/** Place of a member of an object. */
const getPlace = (object: Json, name: string, { at, source }: Place): Place => ({
  at: [...at, Object.keys(object).indexOf(name)],
  source,
});

function PromptMessage({ message, place }: { readonly message: Json; readonly place: Place }) {
  const { role, content } = message;
  return (
    <section>
      <h3>
        <Text value={String(role)} />
      </h3>
      {isObject(content) && <ContentBlock block={content} place={getPlace(message, 'content', place)} />}
    </section>
  );
}

function ResourceContent({ resource, place }: { readonly resource: Json; readonly place: Place }) {
  const { uri, text, blob, mimeType } = resource;
  return (
    <div>
      <p class="mono dim">
        <Text value={String(uri)} />
      </p>
      {typeof text === 'string' && <LongText text={text} place={getPlace(resource, 'text', place)} />}
      {typeof blob === 'string' && (
        <Binary data={blob} type={String(mimeType)} place={getPlace(resource, 'blob', place)} />
      )}
    </div>
  );
}

function ContentBlock({ block, place }: { readonly block: Json; readonly place: Place }) {
  const { type, text, data, mimeType, uri, resource } = block;
  if (type === 'text' && typeof text === 'string')
    return <LongText text={text} place={getPlace(block, 'text', place)} />;
  if ((type === 'image' || type === 'audio') && typeof data === 'string')
    return <Binary data={data} type={String(mimeType)} place={getPlace(block, 'data', place)} />;
  if (type === 'resource_link' && typeof uri === 'string')
    return (
      <p>
        <ForeignLink address={uri} /> <span class="dim">{String(block.name ?? '')}</span>
      </p>
    );
  if (type === 'resource' && isObject(resource))
    return <ResourceContent resource={resource} place={getPlace(block, 'resource', place)} />;
  return <JsonTree value={block} {...place} />;
}

function LongText({ text, place: { at, source } }: { readonly text: string; readonly place: Place }) {
  const { text: shown, left, showMore } = useText(text, at, source, TEXT_LENGTHS);
  return (
    <pre class="text">
      <Text value={shown} />
      <MoreText left={left} showMore={showMore} />
    </pre>
  );
}

/** An image or a sound from its own bytes. Other types are named only: an SVG could contain scripts. */
function Binary({ data, type, place }: { readonly data: string; readonly type: string; readonly place: Place }) {
  const [address, setAddress] = useState('');
  const isImage = IMAGE_TYPES.test(type);
  const isSound = /^audio\/[\w.+-]+$/.test(type);
  const length = place.source.cuts.get(place.at.join())?.total ?? data.length;
  useEffect(() => {
    if ((!isImage && !isSound) || length > MAX_BINARY) return;
    let created = '';
    let isCurrent = true;
    const show = async () => {
      const parts = await decodeBase64(await readWholeText(data, place.at, place.source));
      if (!isCurrent) return;
      created = URL.createObjectURL(new Blob(parts, { type }));
      setAddress(created);
    };
    // Text that is not base64 is described below.
    void show().catch(() => {});
    return () => {
      isCurrent = false;
      URL.revokeObjectURL(created);
    };
  }, [data, type, isImage, isSound]);
  const size = `${Math.round((length * 3) / 4).toLocaleString('en')} bytes of ${type}`;
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

/** Decodes base64 in steps, so that an image of megabytes does not keep the page from its work. */
async function decodeBase64(text: string): Promise<Uint8Array<ArrayBuffer>[]> {
  const compact = text.replace(/\s+/g, '');
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let from = 0; from < compact.length; from += DECODE_STEP) {
    const decoded = atob(compact.slice(from, from + DECODE_STEP));
    const bytes = new Uint8Array(decoded.length);
    for (let index = 0; index < decoded.length; index += 1) bytes[index] = decoded.charCodeAt(index);
    parts.push(bytes);
    await new Promise(resolve => setTimeout(resolve));
  }
  return parts;
}

/** A list of objects as a table, and everything else as a tree. */
function StructuredValue({ value, place }: { readonly value: unknown; readonly place: Place }) {
  const members = isObject(value) ? Object.entries(value) : [];
  const [only] = members.length === 1 ? members : [];
  const list = Array.isArray(value) ? value : only && Array.isArray(only[1]) ? only[1] : undefined;
  const isTable = list !== undefined && list.length > 0 && list.every(isFlat);
  if (!isTable) return <JsonTree value={value} open={3} {...place} />;
  const own = only && list !== value ? { ...place, at: [...place.at, 0] } : place;
  return <Table list={list} name={only?.[0]} place={own} />;
}

interface TableProps {
  readonly list: readonly unknown[];
  readonly name: string | undefined;
  readonly place: Place;
}

function Table({ list, name, place: { at, source } }: TableProps) {
  const shown = useMembers(list, at, source);
  const rows = shown.members.map(([, row]) => toJsonObject(row));
  const columns = [...new Set(rows.flatMap(row => Object.keys(row)))].slice(0, 12);
  return (
    <div class="table">
      {name !== undefined && (
        <p class="mono dim">
          <Text value={name} />
        </p>
      )}
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
          {rows.map((row, index) => (
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
      <MoreMembers shown={shown} />
    </div>
  );
}

const isFlat = (row: unknown): boolean =>
  isObject(row) &&
  Object.values(row).every(each => typeof each !== 'object' || each === null || JSON.stringify(each).length < 80);

const formatCell = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
