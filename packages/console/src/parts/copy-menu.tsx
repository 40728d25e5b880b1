import { useEffect, useState } from 'preact/hooks';
import type { CallCopy, CallView, CopyFormat, ErrorView, RecordingExport, ServerView, TestExport } from '../api.js';
import { servers } from '../console-state.js';
import { callApi, describeFailure, formatError } from '../request.js';
import { saveFile } from '../save-file.js';
import { TabPanel, Tabs } from './tabs.js';
import { Text } from './text.js';

type Transport = NonNullable<ServerView['transport']>;
/** Form of the command, or of the page: a test file, or a recording. */
type Form = CopyFormat | 'test' | 'recording';

/** A written call. */
interface Written extends CallCopy {
  /** Name of the file, for a form that is saved. */
  readonly name?: string;
}

/** Forms, each with the transports of the servers that it can name. */
const FORMS: readonly (readonly [format: Form, title: string, transports: readonly Transport[]])[] = [
  ['tenon', 'tenon call', ['http', 'stdio']],
  ['curl', 'curl', ['http']],
  ['typescript', 'TypeScript', ['http', 'stdio']],
  ['json', 'JSON', ['http', 'stdio', 'memory']],
  ['test', 'Vitest test', ['http', 'stdio', 'memory']],
  ['recording', 'recording', ['http', 'stdio', 'memory']],
];
const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
type ShellName = (typeof SHELLS)[number];

const FORMAT_KEY = 'tenon-copy-format';
const SHELL_KEY = 'tenon-copy-shell';

async function writeCall(call: number, form: Form, shell: ShellName): Promise<Written> {
  if (form === 'test') return { ...(await callApi<TestExport>('POST', 'tests', { calls: [call] })), variables: [] };
  if (form === 'recording')
    return { ...(await callApi<RecordingExport>('POST', 'recordings', { calls: [call] })), variables: [] };
  return callApi<CallCopy>('GET', `calls/${call}/copy?as=${form}&shell=${shell}`);
}

/** A call written for a shell or for a program, to copy. */
export function CopyMenu({ call: { id: call, server } }: { readonly call: CallView }) {
  const transport = servers.value.get(server)?.transport ?? 'memory';
  const offered = FORMS.filter(([, , transports]) => transports.includes(transport));
  const [wanted, setWanted] = useState(() => localStorage.getItem(FORMAT_KEY) ?? 'tenon');
  const format = offered.find(([each]) => each === wanted)?.[0] ?? offered[0]?.[0] ?? 'json';
  const [shell, setShell] = useState<ShellName>(
    () => SHELLS.find(each => each === localStorage.getItem(SHELL_KEY)) ?? 'bash',
  );
  const [copy, setCopy] = useState<Written | null>(null);
  const [error, setError] = useState<ErrorView | null>(null);
  const [copied, setCopied] = useState('');
  useEffect(() => {
    let isCurrent = true;
    setCopied('');
    writeCall(call, format, shell).then(
      read => {
        if (!isCurrent) return;
        setCopy(read);
        setError(null);
      },
      thrown => {
        if (!isCurrent) return;
        setCopy(null);
        setError(describeFailure(thrown));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [call, format, shell]);
  const choose = (next: Form) => {
    localStorage.setItem(FORMAT_KEY, next);
    setWanted(next);
  };
  const write = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied('copied');
    } catch {
      setCopied('the browser refused: select the text, and copy it');
    }
  };
  const isForShell = format === 'tenon' || format === 'curl';
  return (
    <section class="copy" aria-label="Copy as">
      <div class="copy-head">
        <Tabs
          label="Form"
          id="copy"
          tabs={offered.map(([each, title]) => [each, title] as const)}
          chosen={format}
          onChoose={choose}
        />
        {isForShell && (
          <select
            aria-label="Shell"
            value={shell}
            onChange={event => {
              const chosen = SHELLS.find(each => each === event.currentTarget.value) ?? 'bash';
              localStorage.setItem(SHELL_KEY, chosen);
              setShell(chosen);
            }}
          >
            {SHELLS.map(each => (
              <option key={each} value={each}>
                {each === 'powershell' ? 'PowerShell' : each}
              </option>
            ))}
          </select>
        )}
        {copy && (
          <button type="button" onClick={() => void write(copy.text)}>
            Copy
          </button>
        )}
        {copy?.name !== undefined && (
          <button type="button" onClick={() => saveFile(copy.name ?? '', copy.text)}>
            Save {copy.name}
          </button>
        )}
        <span class="dim" role="status">
          {copied}
        </span>
      </div>
      {error && (
        <p class="issue">
          <Text value={formatError(error)} />
        </p>
      )}
      <TabPanel id="copy" chosen={format}>
        {copy && (
          <pre class="text mono">
            <Text value={copy.text} />
          </pre>
        )}
      </TabPanel>
      {copy && copy.variables.length > 0 && (
        <p class="dim">
          Set before, because the text has no secrets: <span class="mono">{copy.variables.join(', ')}</span>
        </p>
      )}
    </section>
  );
}
