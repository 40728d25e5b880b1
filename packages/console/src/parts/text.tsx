import { createHiddenSearch, escapeCharacter } from '@tenon/base';
import type { ComponentChildren } from 'preact';

/** Text of a server. Characters that cannot be seen, or that turn the direction of text, are shown by their numbers. */
export function Text({ value }: { readonly value: string }) {
  const hidden = createHiddenSearch();
  if (!hidden.test(value)) return <>{value}</>;
  hidden.lastIndex = 0;
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of value.matchAll(hidden)) {
    const [character] = match;
    if (/^[\n\t]$/.test(character)) continue;
    parts.push(value.slice(end, match.index), <span class="hidden">{escapeCharacter(character)}</span>);
    end = match.index + character.length;
  }
  return (
    <>
      {parts}
      {value.slice(end)}
    </>
  );
}

/** A link of a server. It is shown whole, and opened only after the user has agreed. */
export function ForeignLink({ address }: { readonly address: string }) {
  const isWeb = /^https?:\/\//i.test(address);
  const open = () => {
    if (confirm(`Open this address of the server?\n\n${address}`))
      window.open(address, '_blank', 'noopener,noreferrer');
  };
  return isWeb ? (
    <button type="button" class="link mono" onClick={open}>
      <Text value={address} />
    </button>
  ) : (
    <span class="mono">
      <Text value={address} />
    </span>
  );
}
