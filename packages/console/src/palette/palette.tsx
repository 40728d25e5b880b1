import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Text } from '../parts/text.js';
import { searchEntries } from './fuzzy-search.js';
import { listEntries, type PaletteEntry, readListings, storeUse } from './palette-entries.js';
import { paletteText } from './palette-host.js';

/** Number of entries that are shown. */
const MAX_SHOWN = 50;

/** Opens everything by its name, with the keyboard only. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const query = paletteText.value ?? '';
  const [chosen, setChosen] = useState(0);
  const [version, setVersion] = useState(0);
  useEffect(() => {
    dialog.current?.showModal();
    // A server that is not connected has no lists.
    void readListings()
      .catch(() => {})
      .then(() => setVersion(1));
  }, []);
  const entries = useMemo(() => listEntries(), [version]);
  const shown = useMemo(() => searchEntries(entries, query, MAX_SHOWN), [entries, query]);
  const choose = (index: number) => {
    setChosen(index);
    dialog.current?.querySelector(`[data-index="${index}"]`)?.scrollIntoView({ block: 'nearest' });
  };
  const before = useRef(document.activeElement);
  /** Removes the dialog at once: its own event comes later, when the palette may be open again. */
  const leave = () => {
    onClose();
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  const run = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    storeUse(entry);
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    const isToggle = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    const count = Math.max(1, shown.length);
    if (isToggle || event.key === 'Escape') leave();
    else if (event.key === 'ArrowDown') choose((chosen + 1) % count);
    else if (event.key === 'ArrowUp') choose((chosen + count - 1) % count);
    else if (event.key === 'Enter') run(shown[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog class="palette" ref={dialog} aria-label="Commands" onClose={onClose} onKeyDown={onKeyDown}>
      <input
        type="text"
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${chosen}`}
        placeholder="server, tool, resource, prompt, call, view or action"
        autocomplete="off"
        spellcheck={false}
        value={query}
        onInput={event => {
          paletteText.value = event.currentTarget.value;
          choose(0);
        }}
      />
      <div class="palette-list" role="listbox" id="palette-list" aria-label="Commands">
        {shown.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus
          <div
            key={entry.id}
            id={`palette-${index}`}
            data-index={index}
            role="option"
            aria-selected={index === chosen}
            onClick={() => run(entry)}
          >
            <span class="palette-kind dim">{entry.kind}</span>
            <span class="palette-title">
              <Text value={entry.title} />
            </span>
            <span class="dim">
              <Text value={entry.detail} />
            </span>
          </div>
        ))}
        {shown.length === 0 && <p class="empty">Nothing has these letters. Delete some of them.</p>}
      </div>
    </dialog>
  );
}
