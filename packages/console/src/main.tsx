import { render } from 'preact';
import { followEvents } from './console-state.js';
import { listenForKeys } from './keyboard.js';
import './compare.css';
import './features.css';
import { PaletteHost } from './palette/palette-host.js';
import { Frame } from './parts/frame.js';
import { KeyHelp } from './parts/key-help.js';
import { createLazyView } from './parts/lazy-view.js';
import { showHiddenCharacters } from './parts/text.js';
import { hasToken } from './request.js';
import { followLinks, route } from './route.js';
import './styles.css';
import { Board } from './views/board.js';
import { CallPage, CallsPage } from './views/call.js';
import { InboxPage } from './views/inbox.js';
import { ServerPage } from './views/server.js';
import { WirePage } from './views/wire.js';

const ComparePage = createLazyView(async () => (await import('./views/compare.js')).ComparePage);

const FeaturePage = createLazyView(async () => (await import('./views/features.js')).FeaturePage);
const RecordingPage = createLazyView(async () => (await import('./views/recording.js')).RecordingPage);
const RecordingsPage = createLazyView(async () => (await import('./views/recording.js')).RecordingsPage);

function View() {
  const [view, ...rest] = route.value.path;
  switch (view) {
    case undefined:
      return <Board />;
    case 's':
      if (rest[1] !== undefined && rest[1] !== 'tools')
        return <FeaturePage name={rest[0] ?? ''} feature={rest[1]} item={rest[2]} />;
      return <ServerPage name={rest[0] ?? ''} tool={rest[1] === 'tools' ? rest[2] : undefined} />;
    case 'wire':
      return <WirePage />;
    case 'recordings':
      return rest[0] === undefined ? <RecordingsPage /> : <RecordingPage key={rest[0]} name={rest[0]} />;
    case 'call':
      return <CallPage id={Number(rest[0])} />;
    case 'compare':
      return <ComparePage />;
    case 'calls':
      return <CallsPage />;
    case 'input-requests':
      return <InboxPage />;
    default:
      return (
        <main class="view">
          <p class="empty">
            No such view. <a href="/">See the servers</a>
          </p>
        </main>
      );
  }
}

const Page = () => (
  <Frame>
    {hasToken ? (
      <View />
    ) : (
      <main class="view">
        <p class="empty">This tab has no token. Open the address that the command printed.</p>
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
