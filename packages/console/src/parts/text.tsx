import { createHiddenSearch, escapeCharacter } from '@tenon/base';
import { type ComponentChildren, Fragment, options } from 'preact';

const HIDDEN = createHiddenSearch();
/** Elements whose children are text without elements. */
const TEXT_ELEMENTS: ReadonlySet<unknown> = new Set(['option', 'textarea', 'title']);
/** Values of fields, which are sent to a server as they are. */
const FIELD_VALUES: ReadonlySet<string> = new Set(['value', 'checked', 'children']);

const hasHidden = (text: string): boolean => text.search(HIDDEN) >= 0;

/** Returns a text whose characters that cannot be seen, or that turn its direction, are shown by their numbers. */
const escapeText = (text: string): string => text.replace(HIDDEN, escapeCharacter);

/** Text of a server. `showHiddenCharacters` makes it readable. */
export const Text = ({ value }: { readonly value: string }) => <>{value}</>;

/** A name of a server. A blank one is written as JSON, so that it can be seen and clicked. */
export const Name = ({ value }: { readonly value: string }) => (
  <Text value={value.trim() === '' ? JSON.stringify(value) : value} />
);

/** The text of a field, for a field with characters that cannot be seen. */
export const HiddenNote = ({ value }: { readonly value: unknown }) =>
  typeof value === 'string' && hasHidden(value) ? <div class="hint">with hidden characters: {value}</div> : null;

/**
 * Makes every text of the page readable, also in attributes: hidden characters are shown by their numbers. It is done in
 * one place for all elements, because a text that is forgotten anywhere else could deceive the user.
 */
export function showHiddenCharacters(): void {
  const next = options.vnode;
  options.vnode = vnode => {
    const { type } = vnode;
    if (typeof type === 'string' || type === Fragment) {
      const props: { [name: string]: unknown; children?: ComponentChildren } = vnode.props;
      for (const [name, value] of Object.entries(props))
        if (typeof value === 'string' && !FIELD_VALUES.has(name) && hasHidden(value)) props[name] = escapeText(value);
      if (props.children !== undefined) props.children = show(props.children, TEXT_ELEMENTS.has(type));
    }
    next?.(vnode);
  };
}

function show(child: ComponentChildren, isText: boolean): ComponentChildren {
  if (Array.isArray(child)) return child.map(each => show(each, isText));
  if (typeof child !== 'string' || !hasHidden(child)) return child;
  return isText ? escapeText(child) : splitHidden(child);
}

function splitHidden(text: string): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    parts.push(text.slice(end, index), <span class="hidden">{escapeCharacter(character)}</span>);
    end = index + character.length;
  }
  parts.push(text.slice(end));
  return parts;
}

/** A link of a server. It is shown whole, and opened only after the user has agreed. */
export function ForeignLink({ address }: { readonly address: string }) {
  const isWeb = /^https?:\/\//i.test(address);
  const open = () => {
    if (confirm(`Open this address of the server?\n\n${escapeText(address)}`))
      window.open(address, '_blank', 'noopener,noreferrer');
  };
  return isWeb ? (
    <button type="button" class="link mono" onClick={open}>
      {address}
    </button>
  ) : (
    <span class="mono">{address}</span>
  );
}
