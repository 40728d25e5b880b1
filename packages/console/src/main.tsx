import { render, type VNode } from 'preact';
import { failure, followEvents, hello } from './console-state.js';
import { listenForKeys } from './keyboard.js';
import './compare.css';
import './features.css';
import './gateway.css';
import './gateway-views.css';
import './sign-in.css';
import { PaletteHost } from './palette/palette-host.js';
import { Frame } from './parts/frame.js';
import { KeyHelp } from './parts/key-help.js';
import { createLazyView } from './parts/lazy-view.js';
import { showHiddenCharacters } from './parts/text.js';
import { formatError, hasToken } from './request.js';
import { followLinks, readNumber, route } from './route.js';
import './styles.css';
import { Board } from './views/board.js';
import { CallPage, CallsPage } from './views/call.js';
import { InboxPage } from './views/inbox.js';
import { ServerPage } from './views/server.js';
import { WirePage } from './views/wire.js';

const ApprovalsPage = createLazyView(async () => (await import('./views/approvals.js')).ApprovalsPage);
const AuditPage = createLazyView(async () => (await import('./views/audit.js')).AuditPage);
const ComparePage = createLazyView(async () => (await import('./views/compare.js')).ComparePage);

const FeaturePage = createLazyView(async () => (await import('./views/features.js')).FeaturePage);
const SignInPage = createLazyView(async () => (await import('./views/sign-in.js')).SignInPage);
const GatewayPage = createLazyView(async () => (await import('./views/gateway.js')).GatewayPage);
const LockPage = createLazyView(async () => (await import('./views/lock.js')).LockPage);
const PolicyPage = createLazyView(async () => (await import('./views/policy.js')).PolicyPage);
const RecordingPage = createLazyView(async () => (await import('./views/recording.js')).RecordingPage);
const RecordingsPage = createLazyView(async () => (await import('./views/recording.js')).RecordingsPage);

const TracePage = createLazyView(async () => (await import('./views/trace.js')).TracePage);

function View() {
  const [view, ...rest] = route.value.path;
  switch (view) {
    case undefined:
      return <Board />;
    case 's':
      if (rest[1] === 'auth') return <SignInPage key={rest[0]} name={rest[0]} />;
      if (rest[1] !== undefined && rest[1] !== 'tools')
        return <FeaturePage name={rest[0] ?? ''} feature={rest[1]} item={rest[2]} />;
      return <ServerPage name={rest[0] ?? ''} tool={rest[1] === 'tools' ? rest[2] : undefined} />;
    case 'sign-in':
      return <SignInPage />;
    case 'wire':
      return <WirePage />;
    case 'recordings':
      if (rest[1] === 'trace') return showNumbered(rest[2], seq => <TracePage recording={rest[0] ?? ''} seq={seq} />);
      return rest[0] === undefined ? <RecordingsPage /> : <RecordingPage key={rest[0]} name={rest[0]} />;
    case 'call':
      return showNumbered(rest[0], id => <CallPage id={id} />);
    case 'trace':
      return showNumbered(rest[0], seq => <TracePage recording={null} seq={seq} />);
    case 'compare':
      return <ComparePage />;
    case 'calls':
      return <CallsPage />;
    case 'approvals':
      return <ApprovalsPage />;
    case 'gateway':
      if (rest[0] === 'policy') return <PolicyPage />;
      if (rest[0] === 'audit') return <AuditPage />;
      if (rest[0] === 'lock') return <LockPage />;
      return rest[0] === undefined ? <GatewayPage /> : <UnknownView />;
    case 'input-requests':
      return <InboxPage />;
    default:
      return <UnknownView />;
  }
}

const UnknownView = () => (
  <main class="view">
    <p class="empty">
      No such view. <a href="/">See the servers</a>
    </p>
  </main>
);

/** Shows the view of a call or message. An address without a number has none. */
function showNumbered(text: string | undefined, show: (number: number) => VNode): VNode {
  const number = readNumber(text);
  return number === undefined ? <UnknownView /> : show(number);
}

/** Describes the reason that the page has no content of the command yet. */
function describeStart(): string {
  if (!hasToken) return 'This tab has no token. Open the address that the command printed.';
  return failure.value ? formatError(failure.value) : 'connecting…';
}

const Page = () => (
  <Frame>
    {hello.value ? (
      <View />
    ) : (
      <main class="view">
        <p class="empty">{describeStart()}</p>
      </main>
    )}
    <KeyHelp />
    <PaletteHost />
  </Frame>
);

showHiddenCharacters();
followLinks();
// A recording may be dropped on any view.
addEventListener('dragover', event => event.preventDefault());
addEventListener('drop', event => {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (file) void import('./views/recording.js').then(({ openRecording }) => openRecording(file));
});
listenForKeys();
render(<Page />, document.body);
if (hasToken) void followEvents();
