import { isObject, toJsonObject } from '@tenon/base';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CallRequestBody, CallView, Json, ServerView, ToolView } from '../api.js';
import { canChange, hello, listCalls, takesCalls } from '../console-state.js';
import { formatCount, formatDuration } from '../format.js';
import { parseTypedJson } from '../json-values.js';
import { CallPanel, CallState } from '../parts/call-panel.js';
import { ForOperator } from '../parts/for-operator.js';
import { JsonEditor } from '../parts/json-editor.js';
import { JsonTree } from '../parts/json-tree.js';
import { createLazyView } from '../parts/lazy-view.js';
import { RequestError, useRequest } from '../parts/request-error.js';
import { SchemaForm } from '../parts/schema-form.js';
import { TabPanel, Tabs } from '../parts/tabs.js';
import { Name, Text } from '../parts/text.js';
import { callApi, toServerApi } from '../request.js';
import { navigate, readNumber, route, setQuery, toComparePath } from '../route.js';
import { type FormIssue, findFormIssues } from '../schema/form-issues.js';
import { createInitialValue } from '../schema/initial-value.js';

/** Length of arguments that stay in the address. */
const MAX_QUERY = 4000;
const CHECK_DELAY = 250;
const FaultForm = createLazyView(async () => (await import('../parts/fault-plan.js')).FaultForm);
const TABS = [
  ['form', 'form'],
  ['json', 'JSON'],
  ['schema', 'schema'],
] as const;
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** A tool: its form on the left, and its calls on the right. */
export function ToolPanel({ server, tool }: { readonly server: ServerView; readonly tool: ToolView }) {
  const [args, setArgs] = useState<unknown>(() => readArgs(tool));
  const [tab, setTab] = useState<(typeof TABS)[number][0]>('form');
  const [issues, setIssues] = useState<readonly FormIssue[]>([]);
  const isBreaking = route.value.query.has('break') || server.fault != null;
  const isReady = takesCalls(server);
  // A new form has empty required fields: they are issues only after the first change or call.
  const [isChanged, setIsChanged] = useState(() => route.value.query.has('args'));
  const [error, run] = useRequest();
  const form = useRef<HTMLFormElement>(null);
  const own = listCalls(server.name, 'tools/call', tool.name);
  const shownId = readNumber(route.value.query.get('call'));
  const shown = own.find(({ id }) => id === shownId) ?? own[0];
  useEffect(() => {
    const timer = setTimeout(() => {
      const text = JSON.stringify(args) ?? '';
      setQuery({ args: text === '{}' || text.length > MAX_QUERY ? null : text });
      void findFormIssues(tool.inputSchema, args ?? {}).then(setIssues, () => {});
    }, CHECK_DELAY);
    return () => clearTimeout(timer);
  }, [args, tool.inputSchema]);
  useEffect(() => {
    form.current
      ?.querySelector<HTMLElement>('.fields input, .fields textarea, .fields select, button.primary')
      ?.focus();
  }, []);
  const change = (changed: unknown) => {
    setIsChanged(true);
    setArgs(changed);
  };
  const hasArguments =
    tool.schemaIssue !== undefined ||
    !isObject(args) ||
    Object.keys(args).length > 0 ||
    mayHaveArguments(tool.inputSchema);
  const shownIssues = isChanged ? issues : [];
  const call = (isCompared = false) =>
    run(async () => {
      if (!canChange.value) return;
      setIsChanged(true);
      const params = { name: tool.name, arguments: toJsonObject(args) };
      const limit = Number(route.value.query.get('limit'));
      const body: CallRequestBody = {
        server: server.name,
        method: 'tools/call',
        params,
        ...(limit > 0 ? { timeout: limit * 1000 } : {}),
      };
      const started = await callApi<CallView>('POST', 'calls', body);
      setQuery({ call: null });
      if (isCompared) await compareWithOther(started, hello.value?.protocolVersions ?? []);
    });
  return (
    <>
      <form
        class="pane form"
        ref={form}
        onSubmit={event => {
          event.preventDefault();
          void call();
        }}
        onKeyDown={event => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            void call();
          }
        }}
      >
        <h1 class="mono">
          <Name value={tool.name} />
        </h1>
        {tool.title !== undefined && (
          <p class="strong">
            <Text value={tool.title} />
          </p>
        )}
        {tool.description !== undefined && <Description text={tool.description} />}
        <Annotations tool={tool} />
        <Tabs label="Arguments" id="arguments" tabs={TABS} chosen={tab} onChoose={setTab} />
        <TabPanel id="arguments" chosen={tab}>
          {tool.schemaIssue !== undefined && tab !== 'json' && <p class="issue">{tool.schemaIssue}</p>}
          {tab === 'form' && !hasArguments && <p class="dim">This tool takes no arguments.</p>}
          {tab === 'form' && hasArguments && !tool.schemaIssue && (
            <SchemaForm
              schema={tool.inputSchema}
              root={tool.inputSchema}
              value={args}
              onChange={change}
              path="arguments"
            />
          )}
          {(tab === 'json' || (tab === 'form' && tool.schemaIssue)) && (
            <JsonEditor label="Arguments as JSON" value={args} onChange={change} rows={8} />
          )}
          {tab === 'schema' && (
            <div class="tree">
              <JsonTree value={tool.inputSchema} open={6} />
            </div>
          )}
        </TabPanel>
        <ForOperator>
          <div class="actions call-actions">
            <button type="submit" class="primary" disabled={!isReady}>
              Call
            </button>
            <kbd>Ctrl Enter</kbd>
            <label class="dim">
              limit{' '}
              <input
                class="short"
                inputMode="decimal"
                autocomplete="off"
                placeholder="60"
                title="Maximum time without progress, in seconds"
                value={route.value.query.get('limit') ?? ''}
                onChange={event => setQuery({ limit: event.currentTarget.value })}
              />{' '}
              s
            </label>
            <button
              type="button"
              disabled={!isReady}
              title="Call on two protocol versions"
              onClick={() => void call(true)}
            >
              Compare versions
            </button>
            <button
              type="button"
              disabled={!isReady}
              aria-expanded={isBreaking}
              title="Plan a fault of the call"
              onClick={() => setQuery({ break: isBreaking ? null : '1' })}
            >
              Break
            </button>
            {shownIssues.length > 0 && <span class="issue">{formatCount(shownIssues.length, 'issue')}</span>}
          </div>
          {isBreaking && <FaultForm server={server} path={toServerApi(server.name)} />}
        </ForOperator>
        {shownIssues.slice(0, 5).map(({ path, message }) => (
          <p class="issue" key={path + message}>
            <span class="mono">{path || '/'}</span> {message}
          </p>
        ))}
        <RequestError error={error} />
      </form>
      <div class="pane results">
        {shown ? (
          <CallPanel call={shown} />
        ) : (
          <p class="empty">
            No calls yet.{' '}
            <ForOperator>
              Press <kbd>Ctrl Enter</kbd> to call.
            </ForOperator>
          </p>
        )}
        {own.length > 1 && <PastCalls calls={own} shown={shown} />}
      </div>
    </>
  );
}

/** Keywords with which a schema describes arguments. Most tools without any do not forbid further members. */
const ARGUMENT_KEYWORDS = [
  '$ref',
  'oneOf',
  'anyOf',
  'allOf',
  'if',
  'patternProperties',
  'additionalProperties',
  'minProperties',
];

const mayHaveArguments = (schema: Json): boolean =>
  (isObject(schema.properties) && Object.keys(schema.properties).length > 0) ||
  ARGUMENT_KEYWORDS.some(keyword => schema[keyword] !== undefined && schema[keyword] !== false);

/** Calls on another version as well, and shows both: the newest one, or for a call on it the one before. */
async function compareWithOther({ id, protocolVersion }: CallView, versions: readonly string[]): Promise<void> {
  const other = versions.find(version => version !== protocolVersion);
  if (other === undefined) return;
  await callApi('POST', `calls/${id}/compare`, { versions: [other] });
  navigate(toComparePath(id, [other]));
}

/** Reads the arguments of the address, else those that a form starts with. */
function readArgs(tool: ToolView): unknown {
  const text = route.value.query.get('args');
  if (text !== null) {
    try {
      return parseTypedJson(text);
    } catch {
      // An address may be cut off.
    }
  }
  return createInitialValue({ type: 'object', ...tool.inputSchema }, tool.inputSchema) ?? {};
}

function Description({ text }: { readonly text: string }) {
  return (
    <p class="prose">
      <Text value={text} />
    </p>
  );
}

function Annotations({ tool: { annotations = {}, tokens } }: { readonly tool: ToolView }) {
  const shown = HINTS.filter(name => typeof annotations[name] === 'boolean');
  return (
    <p class="dim">
      {shown.map(name => `${name} ${String(annotations[name])} · `)}
      {tokens} tokens
    </p>
  );
}

function PastCalls({
  calls: own,
  shown,
}: {
  readonly calls: readonly CallView[];
  readonly shown: CallView | undefined;
}) {
  return (
    <section class="past">
      <h3>{own.length} calls of this tool</h3>
      <ul>
        {own.slice(0, 50).map(call => (
          <li key={call.id}>
            <button type="button" aria-pressed={call === shown} onClick={() => setQuery({ call: String(call.id) })}>
              <CallState call={call} /> <span class="dim">call {call.id}</span>{' '}
              <span class="figures">{call.took === null ? '' : formatDuration(call.took)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
