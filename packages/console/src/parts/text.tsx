import { createHiddenSearch, createTextContext, escapeCharacter, getNeededLength } from '@tenon/base';
import { type ComponentChildren, Fragment, options } from 'preact';

const HIDDEN = createHiddenSearch();
/** Elements whose children are text without elements. */
const TEXT_ELEMENTS: ReadonlySet<unknown> = new Set(['option', 'textarea', 'title']);
/** Values of fields, which are sent to a server as they are. */
const FIELD_VALUES: ReadonlySet<string> = new Set(['value', 'checked', 'children']);

/** Finds the characters that cannot be seen, or that turn the direction of a text. Those that emoji and scripts need stay. */
function findHidden(text: string): { readonly character: string; readonly index: number }[] {
  if (text.search(HIDDEN) < 0) return [];
  const context = createTextContext(text);
  let end = 0;
  return [...text.matchAll(HIDDEN)].flatMap(({ 0: character, index }) => {
    if (index < end) return [];
    const needed = getNeededLength(text, index, context);
    end = index + needed;
    return needed === 0 ? [{ character, index }] : [];
  });
}

/** Returns a text whose hidden characters are shown by their numbers. */
const escapeText = (text: string): string => splitHidden(text, escapeCharacter).join('');

/** Text of a server. `showHiddenCharacters` makes it readable. */
export const Text = ({ value }: { readonly value: string }) => <>{value}</>;

/** A name of a server. A blank one is written as JSON, so that it can be seen and clicked. */
export const Name = ({ value }: { readonly value: string }) => (
  <Text value={value.trim() === '' ? JSON.stringify(value) : value} />
);

/** The text of a field, for a field with characters that cannot be seen. */
export const HiddenNote = ({ value }: { readonly value: unknown }) =>
  typeof value === 'string' && findHidden(value).length > 0 ? (
    <div class="hint">with hidden characters: {value}</div>
  ) : null;

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
        if (typeof value === 'string' && !FIELD_VALUES.has(name)) props[name] = escapeText(value);
      if (props.children !== undefined) props.children = show(props.children, TEXT_ELEMENTS.has(type));
    }
    next?.(vnode);
  };
}

function show(child: ComponentChildren, isText: boolean): ComponentChildren {
  if (Array.isArray(child)) return child.map(each => show(each, isText));
  if (typeof child !== 'string') return child;
  if (isText) return escapeText(child);
  const parts = splitHidden(child, character => <span class="hidden">{escapeCharacter(character)}</span>);
  return parts.length === 1 ? child : parts;
}

/** Splits a text at its hidden characters, and writes each of them. */
function splitHidden<T>(text: string, write: (character: string) => T): (string | T)[] {
  let end = 0;
  const parts = findHidden(text).flatMap(({ character, index }) => {
    const before = text.slice(end, index);
    end = index + character.length;
    return [before, write(character)];
  });
  return [...parts, text.slice(end)];
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
