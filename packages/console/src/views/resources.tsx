import { useEffect, useRef, useState } from 'preact/hooks';
import type { ListingView, ServerView } from '../api.js';
import { listCalls, takesCalls } from '../console-state.js';
import { CompletedInput } from '../parts/completed-input.js';
import { FailedLists, hasSent } from '../parts/failed-lists.js';
import { FeatureHead, FeatureList, FeaturePane } from '../parts/feature-list.js';
import { ForOperator } from '../parts/for-operator.js';
import { RequestError, useRequest } from '../parts/request-error.js';
import { toFeaturePath } from '../parts/server-tabs.js';
import { Text } from '../parts/text.js';
import { callApi, toServerApi } from '../request.js';
import { navigate, route } from '../route.js';

const LISTS = ['resources', 'resourceTemplates'] as const;

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
    ...templates.map(({ uriTemplate, name }) => ({
      name: uriTemplate,
      label: name || uriTemplate,
      title: 'template',
      note: 'template',
      href: `${path}?${new URLSearchParams({ template: uriTemplate })}`,
    })),
    ...resources.map(({ uri: each, name, mimeType }) => {
      const type = typeof mimeType === 'string' ? mimeType : '';
      const href = `${path}?${new URLSearchParams({ uri: each })}`;
      return { name: each, label: name || each, title: type, note: type, href };
    }),
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
          <FailedLists listing={listing} of={LISTS} />
          {items.length > 0 ? (
            <p>Choose a resource.</p>
          ) : (
            hasSent(listing, LISTS) && <p>The server lists no resources.</p>
          )}
        </div>
      )}
    </main>
  );
}

interface PanelProps extends ResourcesViewProps {
  readonly uri: string;
}

function ResourcePanel({ server, uri, listing }: PanelProps) {
  const [error, run] = useRequest();
  const resource = listing?.resources.find(each => each.uri === uri);
  const [shown] = listCalls(server.name, 'resources/read', uri);
  const read = () =>
    run(async () => {
      await callApi('POST', 'calls', { server: server.name, method: 'resources/read', params: { uri } });
    });
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
        <ForOperator>
          <div class="actions call-actions">
            <button type="submit" class="primary" disabled={!takesCalls(server)} ref={button}>
              Read
            </button>
            <a href={`${toFeaturePath(server.name, 'subscriptions')}?${new URLSearchParams({ uri })}`}>subscribe</a>
          </div>
        </ForOperator>
        <RequestError error={error} />
      </form>
      <FeaturePane call={shown} />
    </>
  );
}

function TemplatePanel({ server, template, listing }: ResourcesViewProps & { readonly template: string }) {
  const [variables, setVariables] = useState<readonly string[]>([]);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [error, run] = useRequest();
  const path = toServerApi(server.name, 'expand');
  const described = listing?.resourceTemplates.find(each => each.uriTemplate === template);
  useEffect(() => {
    void run(async () => {
      const expanded = await callApi<{ variables: readonly string[] }>('POST', path, { template });
      setVariables(expanded.variables);
    });
  }, [path, template]);
  const open = () =>
    run(async () => {
      const { uri } = await callApi<{ uri: string }>('POST', path, { template, values });
      await callApi('POST', 'calls', { server: server.name, method: 'resources/read', params: { uri } });
      navigate(`${toFeaturePath(server.name, 'resources')}?${new URLSearchParams({ uri })}`);
    });
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
      <ForOperator>
        <div class="actions call-actions">
          <button type="submit" class="primary" disabled={!takesCalls(server)}>
            Read
          </button>
        </div>
      </ForOperator>
      <RequestError error={error} />
    </form>
  );
}
