import { useEffect, useRef, useState } from 'preact/hooks';
import type { DecisionsView, DecisionView, ExplanationView, PolicyTrialView, PolicyView } from '../api.js';
import { canChange, recordings } from '../console-state.js';
import { formatCount, formatTime } from '../format.js';
import { describeCaller } from '../parts/caller.js';
import { Confirmation } from '../parts/confirmation.js';
import { Explanation, PolicyActionView } from '../parts/explanation.js';
import { GatewayTabs } from '../parts/gateway-tabs.js';
import { RequestError, useRequest } from '../parts/request-error.js';
import { Text } from '../parts/text.js';
import { findRule } from '../policy/find-rule.js';
import { callApi } from '../request.js';
import { route, setQuery } from '../route.js';

/** Time between two readings of the decisions, in milliseconds. */
const READ_INTERVAL = 2000;

/** The decisions of the policy of a gateway, each explained, and the editor of its rules. */
export function PolicyPage() {
  const [policy, setPolicy] = useState<PolicyView | null>(null);
  const [error, run] = useRequest();
  const editor = useRef<HTMLTextAreaElement>(null);
  const read = () => run(async () => setPolicy(await callApi<PolicyView>('GET', 'policy')));
  useEffect(() => void read(), []);
  const showRule = (number: number) => {
    const place = editor.current && findRule(editor.current.value, number);
    if (!place) return;
    editor.current?.focus();
    editor.current?.setSelectionRange(place.start, place.end);
  };
  return (
    <main class="view pane gateway">
      <GatewayTabs current="policy" />
      <RequestError error={error} />
      {policy?.error && <RequestError error={policy.error.cause} />}
      {policy?.file === null && (
        <p class="empty">
          This gateway has no policy, so every call is allowed. Start it with <code>--policy FILE</code>.
        </p>
      )}
      {policy && policy.file !== null && (
        <div class="two-panes">
          <Decisions onShowRule={showRule} />
          <PolicyEditor key={policy.digest} policy={policy} editor={editor} onSaved={setPolicy} />
        </div>
      )}
    </main>
  );
}

function Decisions({ onShowRule }: { readonly onShowRule: (rule: number) => void }) {
  const { query } = route.value;
  const [action, text] = [query.get('action') ?? '', query.get('text') ?? ''];
  const [found, setFound] = useState<DecisionsView | null>(null);
  const [error, run] = useRequest();
  useEffect(() => {
    let isCurrent = true;
    const wanted = new URLSearchParams({ action, text });
    const read = () =>
      run(async () => {
        const decisions = await callApi<DecisionsView>('GET', `policy/decisions?${wanted}`);
        if (isCurrent) setFound(decisions);
      });
    void read();
    const timer = setInterval(() => {
      if (!document.hidden) void read();
    }, READ_INTERVAL);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [action, text]);
  return (
    <section aria-label="Decisions">
      <div class="actions">
        <select aria-label="Action" value={action} onChange={event => setQuery({ action: event.currentTarget.value })}>
          <option value="">all decisions</option>
          <option value="deny">denied</option>
          <option value="ask">asked</option>
          <option value="allow">allowed</option>
        </select>
        <input
          data-focus
          aria-label="Text in a decision"
          placeholder="tool, caller or reason"
          value={text}
          onInput={event => setQuery({ text: event.currentTarget.value })}
        />
        <span class="dim figures">{found && formatCount(found.count, 'decision')}</span>
      </div>
      <RequestError error={error} />
      {found?.count === 0 && <p class="empty">No call yet. The decisions about calls of all callers appear here.</p>}
      {found && found.count > 0 && (
        <table class="rows">
          <thead>
            <tr>
              <th>time</th>
              <th>decision</th>
              <th>call</th>
              <th>rule</th>
              <th>caller</th>
            </tr>
          </thead>
          <tbody>
            {found.decisions.map(decision => (
              <DecisionRows key={decision.id} decision={decision} onShowRule={onShowRule} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

interface DecisionRowsProps {
  readonly decision: DecisionView;
  readonly onShowRule: (rule: number) => void;
}

function DecisionRows({ decision, onShowRule }: DecisionRowsProps) {
  const { id, time, action, kind, server, name, rule, caller } = decision;
  const isOpen = route.value.query.get('decision') === String(id);
  return (
    <>
      <tr>
        <td class="dim mono">{formatTime(time).slice(0, 8)}</td>
        <td>
          <PolicyActionView action={action} />
        </td>
        <td class="named">
          <button
            type="button"
            class="link mono"
            aria-expanded={isOpen}
            title={`Why? ${kind} ${name} of ${server}`}
            onClick={() => setQuery({ decision: isOpen ? null : String(id) })}
          >
            <Text value={`${server}/${name}`} />
          </button>
        </td>
        <td data-label="rule">{rule ?? 'none'}</td>
        <td class="dim">
          <Text value={describeCaller(caller)} />
        </td>
      </tr>
      {isOpen && (
        <tr class="note">
          <td colSpan={5}>
            <DecisionReason id={id} onShowRule={onShowRule} />
          </td>
        </tr>
      )}
    </>
  );
}

function DecisionReason({ id, onShowRule }: Pick<DecisionRowsProps, 'onShowRule'> & { readonly id: number }) {
  const [explained, setExplained] = useState<ExplanationView | null>(null);
  const [error, run] = useRequest();
  useEffect(() => {
    void run(async () => setExplained(await callApi<ExplanationView>('GET', `policy/explain?decision=${id}`)));
  }, [id]);
  const rule = explained?.decision?.rule ?? null;
  return (
    <>
      <RequestError error={error} />
      {explained && <Explanation text={explained.explanation} />}
      {rule !== null && (
        <button type="button" class="link" onClick={() => onShowRule(rule)}>
          show rule {rule} in the file
        </button>
      )}
    </>
  );
}

interface EditorProps {
  readonly policy: PolicyView;
  readonly editor: { current: HTMLTextAreaElement | null };
  readonly onSaved: (policy: PolicyView) => void;
}

/** The text of the policy. Changed rules are tried on the calls so far, and then saved. */
function PolicyEditor({ policy, editor, onSaved }: EditorProps) {
  const { file, rules, quotas, fallback, isReloaded, digest } = policy;
  const [text, setText] = useState(policy.text);
  const [recording, setRecording] = useState('');
  const [trial, setTrial] = useState<PolicyTrialView | null>(null);
  const [isAsked, setAsked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, run] = useRequest();
  const isChanged = text !== policy.text;
  const work = async (request: () => Promise<void>) => {
    setBusy(true);
    await run(request);
    setBusy(false);
  };
  const tryRules = async () => {
    const body = { text, ...(recording === '' ? {} : { recording }) };
    setTrial(await callApi<PolicyTrialView>('POST', 'policy/try', body));
  };
  const ask = () =>
    work(async () => {
      await tryRules();
      setAsked(true);
    });
  const save = () =>
    work(async () => {
      setAsked(false);
      onSaved(await callApi<PolicyView>('POST', 'policy', { text, digest }));
    });
  return (
    <section aria-label="Rules">
      <p class="dim places">
        <Text value={file ?? ''} /> · {formatCount(rules, 'rule')}
        {quotas > 0 && `, ${formatCount(quotas, 'quota')}`} in force, otherwise {fallback}
      </p>
      <textarea
        ref={editor}
        class="mono"
        aria-label="Rules of the policy"
        spellcheck={false}
        readOnly={!canChange.value}
        rows={Math.min(30, Math.max(12, text.split('\n').length + 1))}
        value={text}
        onInput={event => {
          setText(event.currentTarget.value);
          setTrial(null);
          setAsked(false);
        }}
      />
      {canChange.value && (
        <div class="actions">
          <button type="button" disabled={isBusy} onClick={() => void work(tryRules)}>
            Try
          </button>
          {recordings.value.size > 0 && (
            <select
              aria-label="Calls to try the rules on"
              value={recording}
              onChange={event => {
                setRecording(event.currentTarget.value);
                setTrial(null);
              }}
            >
              <option value="">on the calls so far</option>
              {[...recordings.value.keys()].map(name => (
                <option key={name} value={name}>
                  on {name}
                </option>
              ))}
            </select>
          )}
          {!isAsked && (
            <button type="button" class="primary" disabled={isBusy || !isChanged} onClick={() => void ask()}>
              Save
            </button>
          )}
          {isChanged && !isAsked && (
            <button
              type="button"
              class="quiet"
              onClick={() => {
                setText(policy.text);
                setTrial(null);
              }}
            >
              Undo
            </button>
          )}
        </div>
      )}
      <RequestError error={error} />
      {trial && <Trial trial={trial} />}
      {isAsked && trial && (
        <Confirmation
          label="Save the policy?"
          action="Save"
          refusal="Cancel"
          onConfirm={() => void save()}
          onRefuse={() => setAsked(false)}
        >
          {isReloaded ? 'Save, and apply to the next calls?' : 'Save for the next start of the gateway?'}
        </Confirmation>
      )}
    </section>
  );
}

const COUNTED = ['allow', 'ask', 'deny'] as const;

/** The calls about which the changed rules decide differently. */
function Trial({ trial: { calls, counts, changed, changes, untried } }: { readonly trial: PolicyTrialView }) {
  const moved = COUNTED.filter(action => counts.before[action] !== counts.after[action]);
  return (
    <div class="trial">
      <p role="status">
        <b>
          {changed === 0
            ? 'No decision changes'
            : `${formatCount(changed, 'decision')} ${changed === 1 ? 'changes' : 'change'}`}
        </b>
        , of {formatCount(calls, 'call')}
        {moved.length > 0 &&
          `: ${moved.map(action => `${action} ${counts.before[action]} → ${counts.after[action]}`).join(', ')}`}
        {untried > 0 && `. ${formatCount(untried, 'call')} with arguments that are too long to keep were not tried`}
      </p>
      {changes.length > 0 && (
        <table class="rows">
          <thead>
            <tr>
              <th>before</th>
              <th>after</th>
              <th>call</th>
              <th>because</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ line, kind, server, name, before, after }) => (
              <tr key={line} title={`${kind}, ${before.reason}`}>
                <td>
                  <PolicyActionView action={before.action} />
                </td>
                <td>
                  <PolicyActionView action={after.action} />
                </td>
                <td class="mono">
                  <Text value={`${server}/${name}`} />
                </td>
                <td class="named">
                  <Text value={after.reason} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {changed > changes.length && <p class="dim">{formatCount(changed - changes.length, 'more call')}</p>}
    </div>
  );
}
