import { encodePathPart } from '@tenon/base';
import { useEffect, useState } from 'preact/hooks';
import type { FileDigest, ServerView, SkillFileView, SkillsView, SkillView } from '../api.js';
import { canChange } from '../console-state.js';
import { formatCount } from '../format.js';
import { FeatureHead, FeatureList } from '../parts/feature-list.js';
import { Icon } from '../parts/icons.js';
import { JsonTree } from '../parts/json-tree.js';
import { RequestError, useRequest } from '../parts/request-error.js';
import { toFeaturePath } from '../parts/server-tabs.js';
import { Text } from '../parts/text.js';
import { callApi, toServerApi } from '../request.js';
import { route, setQuery } from '../route.js';

const SKILL_FILE = 'SKILL.md';

interface SkillsPageProps {
  readonly server: ServerView;
  /** URI of the chosen skill. */
  readonly uri: string | undefined;
}

/** Skills on the left; the chosen one with its files and the verified text of one of them on the right. */
export function SkillsPage({ server, uri }: SkillsPageProps) {
  const { name, state } = server;
  const [list, setList] = useState<SkillsView | null>(null);
  const [error, run] = useRequest();
  useEffect(() => {
    if (state !== 'connected' || !canChange.value) return;
    void run(async () => setList(await callApi<SkillsView>('POST', toServerApi(name, 'skills'))));
  }, [name, state, canChange.value]);
  const path = toFeaturePath(name, 'skills');
  const items = (list?.skills ?? []).map(skill => ({
    name: skill.uri,
    label: skill.name,
    title: skill.description,
    note: skill.files ? formatCount(skill.files.length, 'file') : 'generated',
    href: `${path}/${encodePathPart(skill.uri)}`,
  }));
  const chosen = list?.skills.find(skill => skill.uri === uri);
  return (
    <main class={`view split ${chosen ? 'at-detail' : 'at-list'}`}>
      <FeatureList server={server} feature="skills" items={items} chosen={uri} />
      {chosen ? (
        <SkillPanel key={chosen.uri} server={name} skill={chosen} />
      ) : (
        <div class="pane wide-form">
          <h1>Skills</h1>
          <RequestError error={error} />
          {!canChange.value && <p class="dim">Skills are requested from the server by the page of an operator only.</p>}
          {list?.errors.length === 0 && items.length === 0 && <p class="dim">The server lists no skills.</p>}
          {items.length > 0 && <p class="dim">Choose a skill. Its files are read only when you open them.</p>}
          {uri !== undefined && list && <Finding text={`The server does not list ${uri} as a valid skill.`} />}
          {list && list.errors.length > 0 && (
            <section>
              <h2>{formatCount(list.errors.length, 'entry').replace(/ys$/, 'ies')} not valid</h2>
              {list.errors.map(each => (
                <Finding key={each} text={each} />
              ))}
            </section>
          )}
        </div>
      )}
    </main>
  );
}

/** A reason not to use what a server has sent. */
const Finding = ({ text }: { readonly text: string }) => (
  <p class="state error finding-text">
    <Icon name="error" />{' '}
    <span>
      <Text value={text} />
    </span>
  </p>
);

/** Path of a file in the folder of its skill. */
const toPath = (skill: SkillView, uri: string): string => uri.slice(skill.uri.length - SKILL_FILE.length);

function SkillPanel({ server, skill }: { readonly server: string; readonly skill: SkillView }) {
  const shown = route.value.query.get('file') ?? SKILL_FILE;
  const [reports, setReports] = useState<ReadonlyMap<string, SkillFileView>>(new Map());
  const [error, run] = useRequest();
  const read = (path: string) =>
    run(async () => {
      const body = { uri: skill.uri, path };
      const report = await callApi<SkillFileView>('POST', toServerApi(server, 'skill-file'), body);
      setReports(before => new Map(before).set(path, report));
    });
  useEffect(() => {
    if (!reports.has(shown)) void read(shown);
  }, [shown]);
  const report = reports.get(shown);
  const sizes = skill.files?.flatMap(file => file.size ?? []) ?? [];
  const size = sizes.length === skill.files?.length ? sizes.reduce((sum, each) => sum + each, 0) : undefined;
  return (
    <>
      <div class="pane form">
        <FeatureHead name={skill.name} texts={[skill.description]} />
        <p class="mono skill-uri">
          <Text value={skill.uri} />
        </p>
        {skill.files ? (
          <>
            <p class="dim">{[formatCount(skill.files.length, 'file'), ...formatSize(size)].join(', ')}</p>
            <ul class="skill-files">
              {skill.files.map(file => {
                const path = toPath(skill, file.uri);
                return (
                  <li key={file.uri}>
                    <button
                      type="button"
                      class="link mono"
                      aria-pressed={path === shown}
                      onClick={() => setQuery({ file: path === SKILL_FILE ? null : path })}
                    >
                      <Text value={path} />
                    </button>{' '}
                    <span class="figures">{formatSize(file.size)}</span> <FileState report={reports.get(path)} />
                    <div class="mono dim digest">{file.digest}</div>
                  </li>
                );
              })}
            </ul>
          </>
        ) : (
          <p class="dim">The content is generated: it has no digests, and each read may return something else.</p>
        )}
        <h2>Fields</h2>
        <div class="tree">
          <JsonTree value={skill.frontmatter} open={2} />
        </div>
      </div>
      <div class="pane results" aria-live="polite">
        <h2 class="mono">
          <Text value={shown} />
        </h2>
        <RequestError error={error} />
        {report ? <FileReport report={report} /> : error === '' && <p class="dim">Reading…</p>}
        <p>
          <button type="button" onClick={() => void read(shown)}>
            Read again
          </button>
        </p>
      </div>
    </>
  );
}

/** The outcome of the last read of a file, in words. */
function FileState({ report }: { readonly report: SkillFileView | undefined }) {
  if (!report) return <span class="dim">not read</span>;
  const isValid = report.issues.length === 0;
  return (
    <span class={`state ${isValid ? 'ok' : 'error'}`}>
      <Icon name={isValid ? 'ok' : 'error'} /> {isValid ? 'verified' : formatCount(report.issues.length, 'finding')}
    </span>
  );
}

const describeDigest = ({ listed, read }: Pick<SkillFileView, 'listed' | 'read'>): string => {
  if (!read) return 'no content to compare';
  if (!listed) return 'nothing listed to compare with';
  return read.digest === listed.digest ? 'equal' : 'not equal';
};

function FileReport({ report }: { readonly report: SkillFileView }) {
  const { uri, listed, read, text, issues } = report;
  return (
    <>
      {issues.map(issue => (
        <Finding key={issue} text={`Do not use this file: ${issue}`} />
      ))}
      <dl>
        <dt>URI</dt>
        <dd class="mono">
          <Text value={uri} />
        </dd>
        <dt>Digest</dt>
        <dd class={read && listed && read.digest === listed.digest ? 'state ok' : 'strong'}>
          {describeDigest(report)}
        </dd>
        <DigestRow label="listed" value={listed} />
        <DigestRow label="computed" value={read} />
      </dl>
      {text === null ? (
        read && <p class="dim">The file is not UTF-8 text.</p>
      ) : (
        <>
          <pre class="skill-text">
            <Text value={text} />
          </pre>
          {read && new TextEncoder().encode(text).length < read.size && (
            <p class="dim">Only the beginning is shown: {formatCount(read.size, 'byte')} in all.</p>
          )}
        </>
      )}
    </>
  );
}

const DigestRow = ({ label, value }: { readonly label: string; readonly value: FileDigest | null }) => (
  <>
    <dt>{label}</dt>
    <dd class="mono digest">{value ? [value.digest, ...formatSize(value.size)].join(', ') : 'none'}</dd>
  </>
);

/** Returns the size of a file, or nothing if the server does not list it. */
const formatSize = (size: number | undefined): string[] => (size === undefined ? [] : [formatCount(size, 'byte')]);
