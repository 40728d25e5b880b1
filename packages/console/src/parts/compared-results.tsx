import { isObject, keepTextsIn, parseJsonText, toCanonicalJson } from '@tenon/base';
import type { CallDetail, CallView } from '../api.js';
import { joinVersions } from '../compare/join-versions.js';
import { readText } from '../request.js';
import { Icon } from './icons.js';
import { JsonDiffView } from './json-diff.js';
import { ResultView } from './result.js';
import { Text } from './text.js';
import { useReads } from './use-reads.js';

/** Versions with the same outcome. */
interface Outcome {
  readonly versions: string[];
  readonly detail: CallDetail;
}

/** Tells which versions gave the same result, and shows the differences of the others. */
export function ComparedResults({ calls }: { readonly calls: readonly CallView[] }) {
  const over = calls.filter(({ took }) => took !== null).map(({ id }) => id);
  const details = useReads(over, readDetail);
  const read = calls.flatMap(({ id }) => details.get(id) ?? []);
  const outcomes = new Map<string, Outcome>();
  for (const detail of read) {
    const key = toCanonicalJson([detail.state, getContent(detail), detail.error?.code]);
    const known = outcomes.get(key);
    if (known) known.versions.push(detail.protocolVersion);
    else outcomes.set(key, { versions: [detail.protocolVersion], detail });
  }
  const [first, ...others] = [...outcomes.values()];
  if (!first || read.length < 2) return null;
  const all = calls.map(({ protocolVersion }) => protocolVersion);
  const name = ({ versions }: Outcome) => joinVersions(versions, all);
  return (
    <section class="compared-results">
      <h2>
        {others.length === 0 ? (
          <span class="state ok">
            <Icon name="ok" /> Same result on {name(first)}
          </span>
        ) : (
          <span class="state waiting">
            <Icon name="waiting" /> Results differ: {[first, ...others].map(name).join(' | ')}
          </span>
        )}
      </h2>
      {read.some(({ cuts }) => cuts.length > 0) && (
        <p class="dim">Only the beginning of long values is compared. Compare the messages for the rest.</p>
      )}
      {others.length === 0 && <OutcomeView detail={first.detail} />}
      {others.map(other => (
        <div key={name(other)}>
          <JsonDiffView
            before={getOutcome(first.detail)}
            after={getOutcome(other.detail)}
            beforeLabel={name(first)}
            afterLabel={name(other)}
          />
        </div>
      ))}
    </section>
  );
}

function OutcomeView({ detail }: { readonly detail: CallDetail }) {
  if (detail.result) return <ResultView call={detail} />;
  return (
    <p class="issue">
      <Text value={detail.error?.cause ?? detail.state} />
    </p>
  );
}

const getOutcome = (detail: CallDetail): unknown => getContent(detail) ?? { state: detail.state, error: detail.error };

/** Members that a protocol version adds to each result. The words below the step of the result name them. */
const PROTOCOL_MEMBERS = new Set(['resultType', 'ttlMs', 'cacheScope']);

/** Returns the result without the members of the protocol version, so that versions can have the same one. */
function getContent({ result }: CallDetail): unknown {
  if (!result) return null;
  const entries = Object.entries(result).flatMap(([name, value]) => {
    if (PROTOCOL_MEMBERS.has(name)) return [];
    if (name !== '_meta' || !isObject(value)) return [[name, value] as const];
    const own = Object.entries(value).filter(([key]) => !key.startsWith('io.modelcontextprotocol/'));
    return own.length === 0 ? [] : [[name, Object.fromEntries(own)] as const];
  });
  return keepTextsIn(Object.fromEntries(entries), result);
}

/** Reads the detail of a call with all digits of its numbers. A call that the command has dropped has none. */
const readDetail = async (id: number): Promise<CallDetail> =>
  parseJsonText(await readText(`calls/${id}`)) as CallDetail;
