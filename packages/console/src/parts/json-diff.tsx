import { keepIntegers, parseJsonText } from '@tenon/base';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { MessageView } from '../api.js';
import { diffJson, type JsonDiff } from '../compare/json-diff.js';
import { formatCount, formatSize } from '../format.js';
import { callApi, describeFailure } from '../request.js';
import { readMessageText } from './message-body.js';
import { RequestError } from './request-error.js';
import { Text } from './text.js';

keepIntegers();

/** Size of a message that is compared, in characters. */
const MAX_MESSAGE = 4_000_000;
/** Length of a value that is shown at once. */
const MAX_VALUE = 400;
/** Number of differences that are shown at once. */
const MAX_SHOWN = 200;

interface DiffProps {
  readonly before: unknown;
  readonly after: unknown;
  readonly beforeLabel: string;
  readonly afterLabel: string;
}

/** The members in which two JSON values differ. */
export function JsonDiffView({ before, after, beforeLabel, afterLabel }: DiffProps) {
  const { diff, differences, isShortened } = useMemo(() => diffJson(before, after), [before, after]);
  return (
    <div class="diff">
      <p class="dim">
        {differences === 0 ? (
          'No difference.'
        ) : (
          <>
            {formatCount(differences, 'difference')}: <del>− {beforeLabel}</del> <ins>+ {afterLabel}</ins>
          </>
        )}
        {isShortened && ' Large parts are compared as a whole.'}
      </p>
      {differences > 0 && (
        <div class="tree">
          <DiffNode diff={diff} />
        </div>
      )}
    </div>
  );
}

function DiffNode({ diff }: { readonly diff: JsonDiff }) {
  const [shown, setShown] = useState(MAX_SHOWN);
  const { kind, key } = diff;
  const label = key === '' ? '' : `${key}: `;
  if (kind === 'same') return null;
  if (kind === 'nested') {
    const { isList, members, equal } = diff;
    return (
      <div class="branch">
        <span class="key">
          <Text value={label} />
        </span>
        {isList ? '[' : '{'}
        <div class="members">
          {members.slice(0, shown).map(member => (
            <DiffNode key={member.kind + member.key} diff={member} />
          ))}
          {members.length > shown && (
            <button type="button" class="link" onClick={() => setShown(shown + MAX_SHOWN)}>
              {members.length - shown} more
            </button>
          )}
          {equal > 0 && <div class="dim">… {formatCount(equal, isList ? 'equal item' : 'equal member')}</div>}
        </div>
        {isList ? ']' : '}'}
      </div>
    );
  }
  const before = 'before' in diff ? diff.before : undefined;
  const after = 'after' in diff ? diff.after : undefined;
  const common = before === undefined || after === undefined ? null : findCommonEnds(before, after);
  return (
    <>
      {before !== undefined && <Value sign="−" label={label} text={before} common={common} />}
      {after !== undefined && <Value sign="+" label={label} text={after} common={common} />}
    </>
  );
}

interface ValueProps {
  readonly sign: '−' | '+';
  readonly label: string;
  readonly text: string;
  /** Lengths of the equal beginning and of the equal end. `null`: there is no other text. */
  readonly common: readonly [start: number, end: number] | null;
}

function Value({ sign, label, text, common }: ValueProps) {
  const [start, end] = common ?? [text.length, 0];
  const [isWhole, setWhole] = useState(false);
  const from = isWhole || common === null ? 0 : Math.max(0, start - MAX_VALUE / 4);
  const shown = isWhole ? text : text.slice(from, from + MAX_VALUE);
  const [low, high] = [Math.max(0, start - from), Math.max(start - from, text.length - end - from)];
  const Tag = sign === '−' ? 'del' : 'ins';
  return (
    <Tag class="leaf">
      {sign}{' '}
      <span class="key">
        <Text value={label} />
      </span>
      {from > 0 && '…'}
      <Text value={shown.slice(0, low)} />
      {high > low && (
        <mark>
          <Text value={shown.slice(low, high)} />
        </mark>
      )}
      <Text value={shown.slice(Math.max(low, high))} />
      {shown.length < text.length && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          … all {formatSize(text.length)} characters
        </button>
      )}
    </Tag>
  );
}

/** Finds the length of the equal beginning and of the equal end of two different texts. */
function findCommonEnds(a: string, b: string): readonly [number, number] {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return [start, end];
}

/** Reads a message with all digits of its numbers. */
export async function readMessage(seq: number): Promise<{ readonly view: MessageView; readonly body: unknown }> {
  const view = await callApi<MessageView>('GET', `wire/${seq}`);
  if (view.size > MAX_MESSAGE)
    throw new Error(`message ${seq}: ${formatSize(view.size)} characters are too many to compare`);
  return { view, body: parseJsonText(await readMessageText(seq)) };
}

/** The structural difference of two messages, which are read when it is shown. */
export function MessageDiff({
  a,
  b,
  labels,
}: {
  readonly a: number;
  readonly b: number;
  readonly labels?: readonly [string, string];
}) {
  const [bodies, setBodies] = useState<readonly [unknown, unknown] | null>(null);
  const [error, setError] = useState('');
  useEffect(() => {
    let isCurrent = true;
    setBodies(null);
    setError('');
    Promise.all([readMessage(a), readMessage(b)]).then(
      ([before, after]) => {
        if (isCurrent) setBodies([before.body, after.body]);
      },
      thrown => {
        if (isCurrent) setError(describeFailure(thrown).cause);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [a, b]);
  if (error !== '') return <RequestError error={error} />;
  if (!bodies) return <p class="dim">…</p>;
  const [beforeLabel, afterLabel] = labels ?? [`message ${a}`, `message ${b}`];
  return <JsonDiffView before={bodies[0]} after={bodies[1]} beforeLabel={beforeLabel} afterLabel={afterLabel} />;
}
