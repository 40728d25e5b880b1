import { isObject } from '@tenon/base';
import { useState } from 'preact/hooks';
import { MaskedText } from './masked-text.js';
import { Text } from './text.js';

/** Number of members that are shown at once. */
const MAX_MEMBERS = 100;
/** Length of a text that is shown in one line. */
const MAX_TEXT = 2000;

interface TreeProps {
  readonly value: unknown;
  readonly name?: string | undefined;
  /** Levels that are open at first. */
  readonly open?: number;
  /** Path of the value. */
  readonly path?: readonly string[];
  /** Requests a value that the command has masked. */
  readonly onReveal?: ((path: readonly string[]) => Promise<unknown>) | undefined;
}

/** A JSON value whose members can be opened. */
export function JsonTree({ value, name, open = 2, path = [], onReveal }: TreeProps) {
  const [isOpen, setOpen] = useState(open > 0);
  const [shown, setShown] = useState(MAX_MEMBERS);
  const isList = Array.isArray(value);
  const label =
    name === undefined ? null : (
      <span class="key">
        <Text value={name} />:{' '}
      </span>
    );
  if (!isList && !isObject(value))
    return (
      <div class="leaf">
        {label}
        <Leaf value={value} onReveal={onReveal && (() => onReveal(path))} />
      </div>
    );
  const members = Object.entries(value);
  const [begin, end] = isList ? ['[', ']'] : ['{', '}'];
  if (members.length === 0)
    return (
      <div class="leaf">
        {label}
        {begin}
        {end}
      </div>
    );
  return (
    <div class="branch">
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
        {begin}
        {isOpen ? '' : `… ${members.length}${end}`}
      </button>
      {isOpen && (
        <div class="members">
          {members.slice(0, shown).map(([key, member]) => (
            <JsonTree
              key={key}
              name={isList ? undefined : key}
              value={member}
              open={open - 1}
              path={[...path, key]}
              onReveal={onReveal}
            />
          ))}
          {members.length > shown && (
            <button type="button" class="link" onClick={() => setShown(shown + MAX_MEMBERS * 10)}>
              {members.length - shown} more
            </button>
          )}
        </div>
      )}
      {isOpen && <div>{end}</div>}
    </div>
  );
}

function Leaf({ value, onReveal }: { value: unknown; onReveal: (() => Promise<unknown>) | undefined }) {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== 'string')
    return <span class={`value ${value === null ? 'null' : typeof value}`}>{JSON.stringify(value)}</span>;
  const text = isWhole ? value : value.slice(0, MAX_TEXT);
  return (
    <span class="value string">
      "<MaskedText value={text} reveal={onReveal} />"
      {text.length < value.length && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {' '}
          … {value.length - text.length} more characters
        </button>
      )}
    </span>
  );
}
