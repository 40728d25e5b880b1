import type { ServerView } from '../api.js';
import { Icon, type IconName } from './icons.js';

const ICONS: Readonly<Record<ServerView['state'], IconName>> = {
  waiting: 'waiting',
  connecting: 'waiting',
  'signing-in': 'waiting',
  connected: 'ok',
  reconnecting: 'waiting',
  failed: 'error',
  closed: 'none',
};

const TEXTS: Partial<Record<ServerView['state'], string>> = {
  waiting: 'waits for you',
  // The client is in this state until the next call, which opens the connection again.
  reconnecting: 'connection lost',
};

/** The state of a server in words, with its icon. */
export function ServerStateView({ server: { state } }: { readonly server: ServerView }) {
  return (
    <span class={`state ${ICONS[state]}`}>
      <Icon name={ICONS[state]} /> {TEXTS[state] ?? state}
    </span>
  );
}
