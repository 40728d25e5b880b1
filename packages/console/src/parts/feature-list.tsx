import { useState } from 'preact/hooks';
import type { CallView, ServerView } from '../api.js';
import { formatCount } from '../format.js';
import { navigate } from '../route.js';
import { CallPanel } from './call-panel.js';
import { type FeatureName, ServerTabs } from './server-tabs.js';
import { Name, Text } from './text.js';

/** An entry of the list on the left. */
export interface FeatureItem {
  readonly name: string;
  /** Text that is shown. Default: the name. */
  readonly label?: string;
  /** Text that the filter finds, besides the name. */
  readonly title: string;
  /** Short text beside the name. */
  readonly note: string;
  readonly href: string;
}

/** Maximum number of entries that are shown. */
const MAX_SHOWN = 500;

interface FeatureListProps {
  readonly server: ServerView;
  readonly feature: FeatureName | 'tools';
  readonly items: readonly FeatureItem[];
  readonly chosen: string | undefined;
}

/** Entries of one part of a server, with a filter. */
export function FeatureList({ server, feature, items, chosen }: FeatureListProps) {
  const [filter, setFilter] = useState('');
  const wanted = filter.toLowerCase();
  const shown = items.filter(({ name, label = '', title }) =>
    `${name} ${label} ${title}`.toLowerCase().includes(wanted),
  );
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement && shown[0]) return navigate(shown[0].href);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || !(event.currentTarget instanceof HTMLElement)) return;
    event.preventDefault();
    const links = [...event.currentTarget.querySelectorAll<HTMLAnchorElement>('li a')];
    const focused = document.activeElement;
    const at = focused instanceof HTMLAnchorElement ? links.indexOf(focused) : -1;
    links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
  };
  return (
    <nav class="tools" aria-label={feature} onKeyDown={move}>
      <ServerTabs server={server} current={feature} />
      {items.length > 0 && (
        <input
          type="search"
          data-focus
          aria-label={`Filter ${feature}`}
          placeholder={`${formatCount(items.length, feature.replace(/s$/, ''))}  /`}
          value={filter}
          onInput={event => setFilter(event.currentTarget.value)}
        />
      )}
      <ul>
        {shown.slice(0, MAX_SHOWN).map(({ name, label = name, note, href }) => (
          <li key={href}>
            <a href={href} aria-current={name === chosen ? 'page' : undefined} class="mono" title={name}>
              <span class="tool-name">
                <Name value={label} />
              </span>
              <span class="badge">
                <Text value={note} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {shown.length > MAX_SHOWN && <p class="dim more">{shown.length - MAX_SHOWN} more. Type a part of the name.</p>}
    </nav>
  );
}

/** The description of an entry above its form. */
export function FeatureHead({ name, texts }: { readonly name: string; readonly texts: readonly unknown[] }) {
  const shown = texts.filter(text => typeof text === 'string' && text !== '');
  return (
    <>
      <h1 class="mono">
        <Name value={name} />
      </h1>
      {shown.map(text => (
        <p class="prose" key={String(text)}>
          <Text value={String(text)} />
        </p>
      ))}
    </>
  );
}

/** The right half of a feature view: the last call of the chosen entry. */
export const FeaturePane = ({ call }: { readonly call: CallView | undefined }) => (
  <div class="pane results">
    {call ? (
      <CallPanel call={call} />
    ) : (
      <p class="empty">
        Not read yet. Press <kbd>Enter</kbd>.
      </p>
    )}
  </div>
);
