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

/** The state of a server in words, with its icon. */
export function ServerStateView({ server: { state } }: { readonly server: ServerView }) {
  return (
    <span class={`state ${ICONS[state]}`}>
      <Icon name={ICONS[state]} /> {state === 'waiting' ? 'waits for you' : state}
    </span>
  );
}
