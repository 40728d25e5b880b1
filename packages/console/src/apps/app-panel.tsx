import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CspFinding, ToolView } from '../api.js';
import { appFindings, theme as consoleTheme, listCalls } from '../console-state.js';
import { formatCount } from '../format.js';
import { adoptStyles } from '../lazy-styles.js';
import { Icon } from '../parts/icons.js';
import { Text } from '../parts/text.js';
import { route, setQuery, toServerPath } from '../route.js';
import { APP_STYLES } from './app-styles.js';
import { type LinkRequest, useApp } from './use-app.js';

/** Widths of devices inside of the border, in pixels. `full`: the space that there is. */
const WIDTHS = ['390', '768', 'full'] as const;
const THEMES = ['console', 'light', 'dark'] as const;
/** Parts of the app that a device covers, in pixels: `phone` those of a screen with rounded corners. */
const SAFE_AREAS = {
  none: { top: 0, right: 0, bottom: 0, left: 0 },
  phone: { top: 47, right: 0, bottom: 34, left: 0 },
} as const;
const DARK = '(prefers-color-scheme: dark)';

interface AppPanelProps {
  readonly server: string;
  readonly tool: ToolView;
  /** Call whose result the app shows. Default: the last finished one. */
  readonly call: number | undefined;
}

/** The app of a tool, at a size and in a theme, with what it was refused and what it sends. */
export function AppPanel({ server, tool, call }: AppPanelProps) {
  adoptStyles(APP_STYLES);
  // A call of the app itself is a call of the tool, too: it does not replace the shown one.
  const [shown] = useState(
    () => call ?? listCalls(server, 'tools/call', tool.name).find(each => each.state === 'done')?.id,
  );
  const { query } = route.value;
  const width = WIDTHS.find(each => each === query.get('width')) ?? 'full';
  const ownTheme = THEMES.find(each => each === query.get('theme')) ?? 'console';
  const fromConsole = useConsoleTheme();
  const theme = ownTheme === 'console' ? fromConsole : ownTheme;
  const area = query.get('area') === 'phone' ? 'phone' : 'none';
  const locale = query.get('locale') || navigator.language;
  const context = { theme, locale, safeAreaInsets: SAFE_AREAS[area] };
  const { app, container, reopen } = useApp({ server, tool: tool.name, call: shown, context });
  const findings = app.id === null ? [] : (appFindings.value.get(app.id) ?? []);
  return (
    <div class="pane app-pane">
      <h1 class="mono">
        <Text value={tool.name} />
      </h1>
      <p class="dim">
        {shown === undefined ? (
          <>
            The tool was not called yet: the app shows no result. <a href={toServerPath(server, tool.name)}>Call it</a>
          </>
        ) : (
          <>
            Shows <a href={`/call/${shown}`}>call {shown}</a>, with masked secrets.
          </>
        )}
      </p>
      <div class="app-controls">
        <Choice legend="width" values={WIDTHS} chosen={width} onChoose={each => setQuery({ width: each })} />
        <Choice legend="theme" values={THEMES} chosen={ownTheme} onChoose={each => setQuery({ theme: each })} />
        <Choice
          legend="safe area"
          values={['none', 'phone'] as const}
          chosen={area}
          onChoose={each => setQuery({ area: each })}
        />
        <label class="dim">
          locale{' '}
          <input
            size={7}
            spellcheck={false}
            value={locale}
            onChange={event => setQuery({ locale: event.currentTarget.value.trim() })}
          />
        </label>
        <button type="button" onClick={reopen}>
          Open again
        </button>
        <span class="dim" role="status">
          {app.state === 'opening' ? 'opening…' : app.state} · {formatCount(app.messages, 'message')} ·{' '}
          <a href={`/wire?${new URLSearchParams({ server, is: 'app' })}`}>wire</a>
        </span>
      </div>
      {app.linkRequest && <LinkConfirmation request={app.linkRequest} />}
      {app.state === 'closed' && (
        <p class="state error">
          <Icon name="error" /> <Text value={`The app is closed: ${app.reason}`} />
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section class="app-space" aria-label="App" tabIndex={0}>
        <div
          class="app-frame"
          ref={container}
          style={{ width: width === 'full' ? 'auto' : `${width}px`, colorScheme: theme }}
        />
      </section>
      <h2>Refused by its policy</h2>
      {findings.length === 0 && <p class="dim">Nothing so far.</p>}
      <List items={findings.map(each => describeFinding(each))} />
      {app.permissions.length > 0 && (
        <p>It requests {app.permissions.join(', ')}. The console grants no permissions.</p>
      )}
      {app.problems.length > 0 && <h2>Problems</h2>}
      <List items={app.problems.map(each => <Text key={each} value={each} />)} />
      {app.notes.length > 0 && <h2>Sent to the host</h2>}
      <List items={app.notes.map(each => <Text key={each} value={each} />)} />
    </div>
  );
}

/** Follows the theme of the page, also if it is that of the system. */
function useConsoleTheme(): 'light' | 'dark' {
  const [isDark, setDark] = useState(matchMedia(DARK).matches);
  useEffect(() => {
    const media = matchMedia(DARK);
    const follow = () => setDark(media.matches);
    media.addEventListener('change', follow);
    return () => media.removeEventListener('change', follow);
  }, []);
  const chosen = consoleTheme.value;
  return chosen === 'system' ? (isDark ? 'dark' : 'light') : chosen;
}

interface ChoiceProps<T extends string> {
  readonly legend: string;
  readonly values: readonly T[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
}

const Choice = <T extends string>({ legend, values, chosen, onChoose }: ChoiceProps<T>) => (
  <fieldset>
    <legend>{legend}</legend>
    {values.map(each => (
      <button type="button" key={each} aria-pressed={each === chosen} onClick={() => onChoose(each)}>
        {each}
      </button>
    ))}
  </fieldset>
);

/** A link that only a click of the user opens. */
const LinkConfirmation = ({ request: { url, decide } }: { readonly request: LinkRequest }) => (
  <div class="app-link" role="alert">
    <p>The app asks to open this address:</p>
    <p class="mono">
      <Text value={url} />
    </p>
    <div class="actions">
      <button type="button" onClick={() => decide(true)}>
        Open
      </button>
      <button type="button" onClick={() => decide(false)}>
        Refuse
      </button>
    </div>
  </div>
);

function describeFinding({ directive, blocked, member, origin }: CspFinding) {
  return (
    <>
      <span class="state error">
        <Icon name="error" /> <Text value={directive} />
      </span>{' '}
      <span class="mono">
        <Text value={blocked} />
      </span>
      <div class="dim">
        {member && origin ? (
          <Text value={`To allow it, add "${origin}" to ${member} in _meta.ui.csp of the resource.`} />
        ) : (
          'No member of _meta.ui.csp allows it.'
        )}
      </div>
    </>
  );
}

const List = ({ items }: { readonly items: readonly ComponentChildren[] }) =>
  items.length === 0 ? null : (
    <ul class="app-list">
      {items.map((item, index) => (
        <li key={index}>{item}</li>
      ))}
    </ul>
  );
