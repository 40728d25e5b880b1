import type { ComponentChildren } from 'preact';
import {
  approvals,
  calls,
  canChange,
  failure,
  getLastRow,
  hello,
  isLive,
  openRequests,
  rowChanges,
  theme,
} from '../console-state.js';
import { formatTime } from '../format.js';
import { paletteText } from '../palette/palette-host.js';
import { route } from '../route.js';
import { switchTheme } from '../theme.js';
import { Icon, type IconName } from './icons.js';
import { Text } from './text.js';

const GATEWAY = '/gateway';
const APPROVALS = '/approvals';
/** Views that only a page of a gateway has. */
const OF_GATEWAYS: ReadonlySet<string> = new Set([GATEWAY, APPROVALS]);

/** The views of the page, each with the key that leads to it. */
const LINKS: readonly {
  readonly href: string;
  readonly icon: IconName;
  readonly title: string;
  readonly key: string;
}[] = [
  { href: '/', icon: 'servers', title: 'Servers', key: 'b' },
  { href: '/calls', icon: 'calls', title: 'Calls', key: 'c' },
  { href: '/wire', icon: 'wire', title: 'Wire', key: 'w' },
  { href: '/recordings', icon: 'recordings', title: 'Recordings', key: 'o' },
  { href: '/sign-in', icon: 'key', title: 'Sign-in', key: 's' },
  { href: '/input-requests', icon: 'inbox', title: 'Input requests', key: 'i' },
  { href: GATEWAY, icon: 'gateway', title: 'Gateway', key: 'g' },
  { href: APPROVALS, icon: 'ok', title: 'Approvals', key: 'a' },
];

/** Returns the views that this page has. */
export const listLinks = (): typeof LINKS =>
  LINKS.filter(({ href }) => !OF_GATEWAYS.has(href) || hello.value?.isGateway);

/** Returns the address to which a key leads. */
export const findKeyAddress = (pressed: string): string | undefined =>
  listLinks().find(({ key }) => key === pressed)?.href;

/** Draws the rail with its links, and the line with the state, around a view. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  const [first = ''] = route.value.path;
  const current = first === 's' ? '/' : first === 'call' ? '/calls' : `/${first}`;
  const counts: Readonly<Record<string, number>> = {
    '/input-requests': openRequests.value.length,
    [APPROVALS]: approvals.value?.count ?? 0,
  };
  return (
    <div class="frame">
      <nav class="rail" aria-label="Views">
        {listLinks().map(({ href, icon, title, key }) => (
          <a key={href} href={href} title={`${title} (${key})`} aria-current={current === href ? 'page' : undefined}>
            <Icon name={icon} />
            <span class="rail-text">{title}</span>
            {(counts[href] ?? 0) > 0 && <span class="count">{counts[href]}</span>}
          </a>
        ))}
        <button type="button" class="theme" title={`Theme: ${theme.value} (t)`} onClick={switchTheme}>
          <Icon name="theme" />
          <span class="rail-text">{theme.value}</span>
        </button>
      </nav>
      {children}
      <StatusLine />
    </div>
  );
}

function StatusLine() {
  rowChanges.value;
  const last = getLastRow();
  const running = [...calls.value.values()].filter(({ took }) => took === null).length;
  return (
    <footer class="status">
      {isLive.value ? (
        <span class="state ok">tenon {hello.value?.version}</span>
      ) : (
        <span class="state error">{failure.value?.cause ?? 'connecting…'}</span>
      )}
      {!canChange.value && <span class="state waiting">read-only</span>}
      {running > 0 && <span class="state waiting">{running} running</span>}
      {last && (
        <a class="mono dim" href={`/wire?at=${last.seq}`}>
          {formatTime(last.time)} {last.server} {last.from === 'client' ? '→' : '←'} <Text value={last.method} />{' '}
          {last.kind}
        </a>
      )}
      <span class="keys dim">
        <button
          type="button"
          class="quiet"
          onClick={() => {
            paletteText.value = '';
          }}
        >
          <kbd>Ctrl K</kbd> open
        </button>
        <kbd>?</kbd> keys
      </span>
    </footer>
  );
}
