import { useEffect, useRef, useState } from 'preact/hooks';
import type { ListingView, ServerView } from '../api.js';
import { calls } from '../console-state.js';
import { CallPanel } from '../parts/call-panel.js';
import { CompletedInput } from '../parts/completed-input.js';
import { FeatureHead, FeatureList, FeaturePane } from '../parts/feature-list.js';
import { toFeaturePath } from '../parts/server-tabs.js';
import { Text } from '../parts/text.js';
import { callApi, describeFailure } from '../request.js';
import { navigate, route } from '../route.js';

interface ResourcesViewProps {
  readonly server: ServerView;
  readonly listing: ListingView | null;
}

/** Resources and templates on the left; the chosen one with its contents on the right. */
export function ResourcesView({ server, listing }: ResourcesViewProps) {
  const { query } = route.value;
  const uri = query.get('uri') ?? '';
  const template = query.get('template') ?? '';
  const path = toFeaturePath(server.name, 'resources');
  const resources = listing?.resources ?? [];
  const templates = listing?.resourceTemplates ?? [];
  const items = [
    ...templates.map(({ uriTemplate }) => ({
      name: uriTemplate,
      note: 'template',
      href: `${path}?template=${encodeURIComponent(uriTemplate)}`,
    })),
    ...resources.map(({ uri: each, mimeType }) => ({
      name: each,
      note: typeof mimeType === 'string' ? mimeType : '',
      href: `${path}?uri=${encodeURIComponent(each)}`,
    })),
  ];
  const isChosen = uri !== '' || template !== '';
  return (
    <main class={`view split ${isChosen ? 'at-detail' : 'at-list'}`}>
      <FeatureList server={server} feature="resources" items={items} chosen={template || uri} />
      {template !== '' ? (
        <TemplatePanel key={template} server={server} template={template} listing={listing} />
      ) : uri !== '' ? (
        <ResourcePanel key={uri} server={server} uri={uri} listing={listing} />
      ) : (
        <div class="empty">
          <h1 class="for-readers">Resources</h1>
          <p>{items.length === 0 ? 'The server lists no resources.' : 'Choose a resource on the left.'}</p>
        </div>
      )}
    </main>
  );
}

interface PanelProps extends ResourcesViewProps {
  readonly uri: string;
}

function ResourcePanel({ server, uri, listing }: PanelProps) {
  const [problem, setProblem] = useState('');
  const resource = listing?.resources.find(each => each.uri === uri);
  const own = [...calls.value.values()].filter(
    call => call.server === server.name && call.method === 'resources/read' && call.name === uri,
  );
  const read = async () => {
    try {
      await callApi('POST', 'calls', { server: server.name, method: 'resources/read', params: { uri } });
      setProblem('');
    } catch (thrown) {
      setProblem(describeFailure(thrown).cause);
    }
  };
  const shown = own.sort((a, b) => b.id - a.id)[0];
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <>
      <form
        class="pane form"
        onSubmit={event => {
          event.preventDefault();
          void read();
        }}
      >
        <FeatureHead name={uri} texts={[resource?.title ?? resource?.name, resource?.description]} />
        <p class="dim">
          <Text value={[resource?.mimeType, resource?.size].filter(each => each !== undefined).join(' · ')} />
        </p>
        <div class="actions call-actions">
          <button type="submit" class="primary" disabled={server.state !== 'connected'} ref={button}>
            Read
          </button>
          <a href={`${toFeaturePath(server.name, 'subscriptions')}?uri=${encodeURIComponent(uri)}`}>subscribe</a>
        </div>
        {problem !== '' && (
          <p class="issue">
            <Text value={problem} />
          </p>
        )}
      </form>
      <FeaturePane>
        {shown ? (
          <CallPanel call={shown} />
        ) : (
          <p class="empty">
            Not read yet. Press <kbd>Enter</kbd>.
          </p>
        )}
      </FeaturePane>
    </>
  );
}

function TemplatePanel({ server, template, listing }: ResourcesViewProps & { readonly template: string }) {
  const [variables, setVariables] = useState<readonly string[]>([]);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState('');
  const path = `servers/${encodeURIComponent(server.name)}/expand`;
  const described = listing?.resourceTemplates.find(each => each.uriTemplate === template);
  useEffect(() => {
    callApi<{ variables: readonly string[] }>('POST', path, { template }).then(
      expanded => setVariables(expanded.variables),
      thrown => setProblem(describeFailure(thrown).cause),
    );
  }, [path, template]);
  const open = async () => {
    try {
      const { uri } = await callApi<{ uri: string }>('POST', path, { template, values });
      await callApi('POST', 'calls', { server: server.name, method: 'resources/read', params: { uri } });
      navigate(`${toFeaturePath(server.name, 'resources')}?uri=${encodeURIComponent(uri)}`);
    } catch (thrown) {
      setProblem(describeFailure(thrown).cause);
    }
  };
  return (
    <form
      class="pane form wide-form"
      onSubmit={event => {
        event.preventDefault();
        void open();
      }}
    >
      <FeatureHead name={template} texts={[described?.title ?? described?.name, described?.description]} />
      <div class="fields">
        {variables.map(name => (
          <CompletedInput
            key={name}
            server={server}
            reference={{ uri: template }}
            name={name}
            isRequired
            description=""
            values={values}
            onChange={value => setValues({ ...values, [name]: value })}
          />
        ))}
      </div>
      <div class="actions call-actions">
        <button type="submit" class="primary" disabled={server.state !== 'connected'}>
          Read
        </button>
      </div>
      {problem !== '' && (
        <p class="issue">
          <Text value={problem} />
        </p>
      )}
    </form>
  );
}
