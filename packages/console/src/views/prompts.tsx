import { encodePathPart, isObject } from '@tenon/base';
import { useState } from 'preact/hooks';
import type { ListingView, ServerView } from '../api.js';
import { listCalls, takesCalls } from '../console-state.js';
import { CompletedInput } from '../parts/completed-input.js';
import { FailedLists, hasSent } from '../parts/failed-lists.js';
import { FeatureHead, FeatureList, FeaturePane } from '../parts/feature-list.js';
import { ForOperator } from '../parts/for-operator.js';
import { RequestError, useRequest } from '../parts/request-error.js';
import { toFeaturePath } from '../parts/server-tabs.js';
import { callApi } from '../request.js';

const LISTS = ['prompts'] as const;

interface PromptsViewProps {
  readonly server: ServerView;
  readonly listing: ListingView | null;
  readonly prompt: string | undefined;
}

/** Prompts on the left; the chosen one with its arguments and messages on the right. */
export function PromptsView({ server, listing, prompt }: PromptsViewProps) {
  const prompts = listing?.prompts ?? [];
  const path = toFeaturePath(server.name, 'prompts');
  const items = prompts.map(each => {
    const count = `${readArguments(each).length}`;
    return { name: each.name, title: count, note: count, href: `${path}/${encodePathPart(each.name)}` };
  });
  const chosen = prompts.find(({ name }) => name === prompt);
  return (
    <main class={`view split ${chosen ? 'at-detail' : 'at-list'}`}>
      <FeatureList server={server} feature="prompts" items={items} chosen={prompt} />
      {chosen ? (
        <PromptPanel key={chosen.name} server={server} prompt={chosen} />
      ) : (
        <div class="empty">
          <h1 class="for-readers">Prompts</h1>
          <FailedLists listing={listing} of={LISTS} />
          {items.length > 0 ? <p>Choose a prompt.</p> : hasSent(listing, LISTS) && <p>The server lists no prompts.</p>}
        </div>
      )}
    </main>
  );
}

type Prompt = ListingView['prompts'][number];

interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
}

const readArguments = (prompt: Prompt): PromptArgument[] =>
  (Array.isArray(prompt.arguments) ? prompt.arguments : []).filter(isObject).map(each => ({
    name: String(each.name),
    description: typeof each.description === 'string' ? each.description : '',
    isRequired: each.required === true,
  }));

function PromptPanel({ server, prompt }: { readonly server: ServerView; readonly prompt: Prompt }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [error, run] = useRequest();
  const [shown] = listCalls(server.name, 'prompts/get', prompt.name);
  const get = () =>
    run(async () => {
      const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
      const params = { name: prompt.name, arguments: given };
      await callApi('POST', 'calls', { server: server.name, method: 'prompts/get', params });
    });
  return (
    <>
      <form
        class="pane form"
        onSubmit={event => {
          event.preventDefault();
          void get();
        }}
      >
        <FeatureHead name={prompt.name} texts={[prompt.title, prompt.description]} />
        <div class="fields">
          {readArguments(prompt).map(({ name, description, isRequired }) => (
            <CompletedInput
              key={name}
              server={server}
              reference={{ name: prompt.name }}
              name={name}
              isRequired={isRequired}
              description={description}
              values={values}
              onChange={value => setValues({ ...values, [name]: value })}
            />
          ))}
        </div>
        <ForOperator>
          <div class="actions call-actions">
            <button type="submit" class="primary" disabled={!takesCalls(server)}>
              Get
            </button>
            <kbd>Enter</kbd>
          </div>
        </ForOperator>
        <RequestError error={error} />
      </form>
      <FeaturePane call={shown} />
    </>
  );
}
