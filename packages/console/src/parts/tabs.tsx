import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

interface TabsProps<T extends string> {
  /** Name of the list for those who hear the page. */
  readonly label: string;
  /** Prefix of the ids of the tabs and of their panel. */
  readonly id: string;
  readonly tabs: readonly (readonly [value: T, title: string])[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
}

/** Moves of the focus by key: from the index of a tab, to that of another one, in a circle. */
const MOVES: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowLeft: (index, count) => (index + count - 1) % count,
  ArrowRight: (index, count) => (index + 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/**
 * Tabs of one panel. The arrow keys choose among them, and only the chosen one is in the order of the Tab key.
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/tabs/
 */
export function Tabs<T extends string>({ label, id, tabs, chosen, onChoose }: TabsProps<T>) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const { ctrlKey, altKey, metaKey, shiftKey } = event;
    const index = tabs.findIndex(([value]) => value === chosen);
    const next = ctrlKey || altKey || metaKey || shiftKey ? undefined : MOVES[event.key]?.(index, tabs.length);
    const tab = next === undefined ? undefined : tabs[next];
    if (next === undefined || !tab) return;
    event.preventDefault();
    onChoose(tab[0]);
    const button = list.current?.children[next];
    if (button instanceof HTMLElement) button.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
      {tabs.map(([value, title]) => (
        <button
          type="button"
          role="tab"
          key={value}
          id={`${id}-${value}`}
          aria-selected={value === chosen}
          aria-controls={`${id}-panel`}
          tabIndex={value === chosen ? 0 : -1}
          onClick={() => onChoose(value)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

/** The panel of the chosen tab. */
export const TabPanel = ({
  id,
  chosen,
  children,
}: Pick<TabsProps<string>, 'id' | 'chosen'> & { readonly children: ComponentChildren }) => (
  <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
    {children}
  </div>
);
