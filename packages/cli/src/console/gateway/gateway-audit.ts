import type { AuditEntryView, AuditVerificationView, AuditView } from '@tenon/console/api';
import { type AuditAnchor, verifyAuditFiles } from '@tenon/host';
import { type JsonObject, TenonError } from 'tenon';
import { type EntryFilter, readEntryLines } from '../../audit/read-entries.js';
import { createErrorView } from '../console-calls.js';

/** Number of entries that the page gets at once. */
const PAGE_SIZE = 100;

/** The audit logs of a gateway and of its replicas, for its console. */
export interface AuditParts {
  /** Paths of the logs. */
  readonly files: readonly string[];
  /** Key of the logs. */
  readonly key?: string | undefined;
  /** Reads the anchors of all replicas from the store that they share. Absent without such a store. */
  readonly readAnchors?: (() => Promise<readonly AuditAnchor[]>) | undefined;
}

/** Place of an entry among the entries of all logs. */
interface EntryPlace {
  readonly time: number;
  readonly file: number;
  readonly seq: number;
}

interface PlacedEntry {
  readonly entry: JsonObject;
  readonly place: EntryPlace;
}

/** Searches and verifies the audit logs of a gateway and of its replicas. */
export class GatewayAudit {
  readonly #parts: AuditParts;

  constructor(parts: AuditParts) {
    this.#parts = parts;
  }

  /** Returns the selected entries of all logs, the newest first. */
  async read(query: URLSearchParams): Promise<AuditView> {
    const { files } = this.#parts;
    const filter = readFilter(query);
    const before = readPlace(query.get('before'));
    const found: PlacedEntry[] = [];
    let [count, invalid] = [0, 0];
    try {
      for (const [file, path] of files.entries()) {
        const last: PlacedEntry[] = [];
        for await (const entry of readEntryLines(path, filter, () => (invalid += 1))) {
          count += 1;
          const place = { time: Date.parse(String(entry.time)), file, seq: Number(entry.seq) };
          if (before && comparePlaces(place, before) <= 0) continue;
          last.push({ entry, place });
          if (last.length > PAGE_SIZE + 1) last.shift();
        }
        found.push(...last);
      }
    } catch (thrown) {
      return { files, entries: [], count: 0, next: null, invalid, error: createErrorView(TenonError.from(thrown)) };
    }
    const sorted = found.sort((a, b) => comparePlaces(a.place, b.place));
    const shown = sorted.slice(0, PAGE_SIZE);
    const last = shown.at(-1)?.place;
    return {
      files,
      entries: shown.map(({ entry, place }) => toEntryView(entry, files[place.file] ?? '')),
      count,
      next: sorted.length > shown.length && last ? `${last.time}_${last.file}_${last.seq}` : null,
      invalid,
      error: null,
    };
  }

  /** Verifies all logs together, as `tenon audit verify` does. */
  async verify(): Promise<AuditVerificationView> {
    const { files, key, readAnchors } = this.#parts;
    const anchors = await readAnchors?.();
    const { ok, logs, missing } = await verifyAuditFiles(files, { key, anchors });
    return { ok, logs: logs.map((log, index) => ({ file: files[index] ?? '', ...log })), missing };
  }
}

/** Orders places: the newest first. */
const comparePlaces = (a: EntryPlace, b: EntryPlace): number => b.time - a.time || a.file - b.file || b.seq - a.seq;

function readPlace(text: string | null): EntryPlace | undefined {
  const [time, file, seq] = (text ?? '').split('_').map(Number);
  return time === undefined || file === undefined || seq === undefined ? undefined : { time, file, seq };
}

function readFilter(query: URLSearchParams): EntryFilter {
  const get = (name: string) => query.get(name) || undefined;
  const [action, since, until] = [get('action'), get('since'), get('until')];
  return {
    ...(action === 'none' ? { denied: true } : action ? { action: [action] } : {}),
    ...(since ? { since: Date.parse(since) } : {}),
    ...(until ? { until: Date.parse(until) } : {}),
    tool: get('tool'),
    caller: get('caller'),
    text: get('text'),
  };
}

function toEntryView(entry: JsonObject, file: string): AuditEntryView {
  const { seq, time, action } = entry;
  const readText = (name: string) => (typeof entry[name] === 'string' ? entry[name] : undefined);
  const readNumber = (name: string) => (typeof entry[name] === 'number' ? entry[name] : undefined);
  return {
    file,
    seq: Number(seq),
    time: String(time),
    action: String(action),
    replica: readText('replica'),
    principal: readText('principal'),
    server: readText('server'),
    kind: readText('kind'),
    name: readText('name'),
    rule: readNumber('rule'),
    reason: readText('reason'),
    outcome: readText('outcome'),
    ms: readNumber('ms'),
    entry,
  };
}
