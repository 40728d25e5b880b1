import { isObject } from '@tenon/base';
import { useState } from 'preact/hooks';
import { type PartSource, type ShownMembers, useMembers, useText } from './json-parts.js';
import { MaskedText } from './masked-text.js';
import { Text } from './text.js';

/** Length of a text that is shown at first, and of each further piece. */
const TEXT_LENGTHS = { first: 2000, step: 20_000 };

interface TreeProps {
  readonly value: unknown;
  readonly name?: string | undefined;
  /** Levels that are open at first. */
  readonly open?: number;
  /** Names that lead to the value. */
  readonly path?: readonly string[];
  /** Positions that lead to the value in its source. */
  readonly at?: readonly number[];
  /** Source of the parts that the page has not got. */
  readonly source?: PartSource | undefined;
  /** Members of this value that are not shown. */
  readonly omitted?: ReadonlySet<string> | undefined;
  /** Requests a value that the command has masked. */
  readonly onReveal?: ((path: readonly string[]) => Promise<unknown>) | undefined;
}

/** A JSON value whose members can be opened. */
export function JsonTree(props: TreeProps) {
  const { value, name, path = [], at = [], source, onReveal } = props;
  if (Array.isArray(value) || isObject(value)) return <Branch {...props} value={value} />;
  return (
    <div class="leaf">
      <Label name={name} />
      <Leaf value={value} at={at} source={source} onReveal={onReveal && (() => onReveal(path))} />
    </div>
  );
}

const Label = ({ name }: { readonly name: string | undefined }) =>
  name === undefined ? null : (
    <span class="key">
      <Text value={name} />:{' '}
    </span>
  );

function Branch({
  value,
  name,
  open = 2,
  path = [],
  at = [],
  source,
  omitted,
  onReveal,
}: TreeProps & { readonly value: object }) {
  const [isOpen, setOpen] = useState(open > 0);
  const shown = useMembers(value, at, source);
  const isList = Array.isArray(value);
  const [begin, end] = isList ? ['[', ']'] : ['{', '}'];
  const count = shown.members.length + shown.left;
  if (count === 0)
    return (
      <div class="leaf">
        <Label name={name} />
        {begin}
        {end}
      </div>
    );
  return (
    <div class="branch">
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Label name={name} />
        {begin}
        {isOpen ? '' : `… ${count.toLocaleString('en')}${end}`}
      </button>
      {isOpen && (
        <div class="members">
          {shown.members.map(([key, member], position) =>
            omitted?.has(key) ? null : (
              <JsonTree
                key={position}
                name={isList ? undefined : key}
                value={member}
                open={open - 1}
                path={[...path, isList ? `${position}` : key]}
                at={[...at, position]}
                source={shown.source}
                onReveal={onReveal}
              />
            ),
          )}
          <MoreMembers shown={shown} />
        </div>
      )}
      {isOpen && <div>{end}</div>}
    </div>
  );
}

/** The button for further members. */
export function MoreMembers({ shown: { left, showMore } }: { readonly shown: ShownMembers }) {
  if (left <= 0) return null;
  if (!showMore) return <span class="dim">{left.toLocaleString('en')} more in the message</span>;
  return (
    <button type="button" class="link" onClick={showMore}>
      {left.toLocaleString('en')} more
    </button>
  );
}

/** The button for further characters. */
export function MoreText({ left, showMore }: { readonly left: number; readonly showMore: (() => void) | undefined }) {
  if (left <= 0) return null;
  const label = `… ${left.toLocaleString('en')} more characters`;
  if (!showMore) return <span class="dim"> {label}</span>;
  return (
    <button type="button" class="link" onClick={showMore}>
      {' '}
      {label}
    </button>
  );
}

interface LeafProps {
  readonly value: unknown;
  readonly at: readonly number[];
  readonly source: PartSource | undefined;
  readonly onReveal: (() => Promise<unknown>) | undefined;
}

function Leaf({ value, at, source, onReveal }: LeafProps) {
  const { text, left, showMore } = useText(typeof value === 'string' ? value : '', at, source, TEXT_LENGTHS);
  if (typeof value !== 'string')
    return <span class={`value ${value === null ? 'null' : typeof value}`}>{JSON.stringify(value)}</span>;
  return (
    <span class="value string">
      "<MaskedText value={text} reveal={onReveal} />"
      <MoreText left={left} showMore={showMore} />
    </span>
  );
}
